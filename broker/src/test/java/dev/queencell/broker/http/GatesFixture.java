package dev.queencell.broker.http;

import dev.queencell.broker.auth.AccessControl;
import dev.queencell.broker.auth.AuthConfig;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.maintenance.Maintenance;
import dev.queencell.broker.maintenance.Switches;
import dev.queencell.broker.spool.OwnerClient;
import dev.queencell.broker.spool.Pushes;
import dev.queencell.broker.spool.Spool;
import dev.queencell.broker.spool.SpoolConfig;
import dev.queencell.testsupport.Await;
import java.nio.file.Path;

/** Gates of an API under test: open, without a spool and without a key unless told otherwise. */
final class GatesFixture implements AutoCloseable {
  final Gates gates;
  private final Maintenance maintenance;
  private final Pushes pushes;
  private final AccessControl access;
  private final OwnerClient owner = new OwnerClient(null);

  GatesFixture(Engine engine) {
    this(engine, null, switches(), AuthConfig.OPEN, PayloadCipher.NONE);
  }

  GatesFixture(Engine engine, Path spool) {
    this(engine, spool, switches(), AuthConfig.OPEN, PayloadCipher.NONE);
  }

  GatesFixture(Engine engine, SpoolConfig spool) {
    this(spool, engine, switches(), AuthConfig.OPEN, PayloadCipher.NONE);
  }

  GatesFixture(
      Engine engine, Path spool, Switches switches, AuthConfig auth, PayloadCipher cipher) {
    this(spool == null ? null : SpoolConfig.in(spool), engine, switches, auth, cipher);
  }

  private GatesFixture(
      SpoolConfig spool, Engine engine, Switches switches, AuthConfig auth, PayloadCipher cipher) {
    maintenance = new Maintenance(switches);
    Await.until("the switches are known", maintenance::known);
    access = new AccessControl(auth);
    pushes =
        new Pushes(
            engine,
            spool == null ? null : Spool.open(spool, cipher),
            maintenance::pushPaused,
            owner,
            10);
    gates = new Gates(access, maintenance, pushes, cipher);
  }

  /** Switches of one broker that outlive nothing. */
  static Switches switches() {
    return new Remembered();
  }

  @Override
  public void close() {
    pushes.close();
    owner.close();
    maintenance.close();
    access.close();
  }

  private static final class Remembered implements Switches {
    private State state = new State(false, false);

    @Override
    public synchronized State read() {
      return state;
    }

    @Override
    public synchronized void write(Kind kind, boolean enabled) {
      state =
          kind == Kind.PUSH ? new State(enabled, state.pop()) : new State(state.push(), enabled);
    }

    @Override
    public void close() {}
  }
}
