package dev.queencell.broker.http;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The broker's two hot bodies: reading that of a push, writing that of a pop. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class BodiesBench {
  private static final int PAYLOAD_BYTES = 256;
  private static final long CREATED_AT_MICROS = 1_700_000_000_000_000L;

  @Param({"1", "100"})
  public int messages;

  private byte[] push;
  private PopResult popped;

  @Setup
  public void make() {
    var payload = "{\"text\":\"" + "a".repeat(PAYLOAD_BYTES - 11) + "\"}";
    var body = new StringBuilder("{\"items\":[");
    var frames = new Frames.Writer(1024);
    for (int i = 0; i < messages; i++) {
      var id = new UUID(7, i);
      body.append(i == 0 ? "" : ",")
          .append("{\"queue\":\"orders\",\"partition\":\"p1\",\"transactionId\":\"")
          .append(id)
          .append("\",\"payload\":")
          .append(payload)
          .append('}');
      frames.add(id, null, null, null, Slice.utf8(payload));
    }
    push = body.append("]}").toString().getBytes(StandardCharsets.UTF_8);
    var run = new PopResult.Run(0, CREATED_AT_MICROS, frames.toBytes(), 0, messages);
    var claim = new PopResult.Claim("orders", "p1", new UUID(1, 2), 1, messages, List.of(run));
    popped = new PopResult(new UUID(3, 4), List.of(claim));
  }

  @Benchmark
  public List<PushItem> readPush() {
    return PushBody.parse(push, null);
  }

  @Benchmark
  public Object writePop() {
    return PopAnswer.write(
        popped, "orders", "workers", PopAnswer.Chosen.NOTHING, PayloadCipher.NONE);
  }
}
