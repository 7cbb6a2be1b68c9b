package dev.queencell.endtoend;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.client.Caller;
import dev.queencell.client.PopRequest;
import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A broker in a process of its own, with clients on it: two tenants with the same names. */
final class BrokerProcess implements AutoCloseable {
  static final String QUEUE = "takeover";
  static final Caller TENANT = Caller.withTenant("aaaaaaaa-0000-4000-8000-000000000001");
  static final Caller NEIGHBOUR = Caller.withTenant("bbbbbbbb-0000-4000-8000-000000000002");
  private static final String GROUP = "workers";
  private static final int POP_WAIT_MS = 500;

  final JavaProcess process;
  private final QueenTransport transport;
  private final QueenClient anonymous;

  BrokerProcess(PostgresServer postgres) {
    int port = freePort();
    process =
        JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
            .jvmFlag("-Xmx256m")
            .env("PORT", Integer.toString(port))
            .env("QUEEN_TENANCY_HEADER", "true")
            .env("QUEEN_KV_TRUSTED_PROXY", "true")
            .env("PG_HOST", postgres.host())
            .env("PG_PORT", Integer.toString(postgres.port()))
            .env("PG_USER", PostgresServer.USER)
            .env("PG_PASSWORD", postgres.password())
            .env("PG_DB", "postgres")
            .start();
    process.awaitReady();
    transport = new QueenTransport(URI.create("http://127.0.0.1:" + port));
    anonymous = transport.client(Caller.ANONYMOUS);
  }

  static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the health page names this role. */
  boolean isRole(String role) {
    try {
      return new String(anonymous.get("/health"), StandardCharsets.UTF_8)
          .contains("\"role\":\"" + role + "\"");
    } catch (QueenException e) {
      return false;
    }
  }

  /** Pushes one text; true when the broker said that it is stored. */
  boolean push(Caller tenant, String partition, String text) {
    try {
      var payload = ('"' + text + '"').getBytes(StandardCharsets.UTF_8);
      var batch = new PushBatch().add(QUEUE, partition, payload);
      return transport.client(tenant).push(batch).allAccepted();
    } catch (QueenException e) {
      return false;
    }
  }

  /** Pops, acknowledges and returns what there is of this tenant's. */
  List<String> drain(Caller tenant) {
    var client = transport.client(tenant);
    var seen = new ArrayList<String>();
    while (true) {
      var got =
          client.pop(
              PopRequest.fromQueue(QUEUE)
                  .group(GROUP)
                  .subscriptionMode("all")
                  .batch(100)
                  .waitUpTo(POP_WAIT_MS));
      if (got.isEmpty()) {
        return seen;
      }
      for (var message : got.messages()) {
        var payload = new String(message.payload(), StandardCharsets.UTF_8);
        seen.add(payload.substring(1, payload.length() - 1));
        client.ack(GROUP, message, dev.queencell.client.AckStatus.COMPLETED, null);
      }
    }
  }

  @Override
  public void close() {
    transport.close();
    process.close();
  }
}
