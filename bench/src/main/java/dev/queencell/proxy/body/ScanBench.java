package dev.queencell.proxy.body;

import java.nio.charset.StandardCharsets;
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

/** What the proxy looks for in the body of a push before it lets it through. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ScanBench {
  private static final int PAYLOAD_BYTES = 256;

  @Param({"1", "100"})
  public int messages;

  private byte[] body;

  @Setup
  public void make() {
    var item =
        "{\"queue\":\"orders\",\"partition\":\"p1\",\"payload\":{\"text\":\""
            + "a".repeat(PAYLOAD_BYTES - 11)
            + "\"}}";
    var text = "{\"items\":[" + (item + ",").repeat(messages - 1) + item + "]}";
    body = text.getBytes(StandardCharsets.UTF_8);
  }

  @Benchmark
  public PushScan.Found counted() {
    return PushScan.scan(body, PushScan.Shape.PUSH, false);
  }

  @Benchmark
  public PushScan.Found withLanes() {
    return PushScan.scan(body, PushScan.Shape.PUSH, true);
  }
}
