package dev.queencell.loader.account;

import dev.queencell.loader.payload.Stamp;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** All that the loader's account does for one message, from its number to its acknowledgement. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AccountBench {
  private final Stamp stamp = new Stamp();
  private Ledger ledger;

  @Setup(Level.Iteration)
  public void make() {
    ledger = new Ledger(1, 1, true);
  }

  @Benchmark
  public Judgement oneMessage() {
    stamp.answered = ledger.answeredThrough(0, 0);
    stamp.sequence = ledger.issue(0, 0, 1);
    stamp.base = stamp.sequence;
    ledger.accept(0, 0, stamp.sequence);
    ledger.conclude(0, 0, stamp.base, 1);
    var judgement = ledger.deliver(0, stamp);
    ledger.complete(0, 0, stamp.sequence);
    return judgement;
  }
}
