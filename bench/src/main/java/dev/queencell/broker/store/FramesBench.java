package dev.queencell.broker.store;

import java.util.Random;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A segment's way to the database and back: frames written and packed, unpacked and walked. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FramesBench {
  private static final int PAYLOAD_BYTES = 256;

  /** Letters of a payload: so many pack about as well as text. */
  private static final int LETTERS = 6;

  @Param({"1", "100"})
  public int messages;

  private SegmentCodec codec;
  private UUID[] ids;
  private Slice[] payloads;
  private SegmentCodec.Packed packed;

  @Setup
  public void make() {
    codec = new SegmentCodec();
    ids = new UUID[messages];
    payloads = new Slice[messages];
    var random = new Random(1);
    for (int i = 0; i < messages; i++) {
      ids[i] = new UUID(random.nextLong(), random.nextLong());
      var text = new byte[PAYLOAD_BYTES];
      for (int b = 0; b < text.length; b++) {
        text[b] = (byte) ('a' + random.nextInt(LETTERS));
      }
      payloads[i] = Slice.of(text);
    }
    packed = pack();
  }

  @TearDown
  public void close() {
    codec.close();
  }

  @Benchmark
  public SegmentCodec.Packed pack() {
    var frames = new Frames.Writer(1024);
    for (int i = 0; i < messages; i++) {
      frames.add(ids[i], null, null, null, payloads[i]);
    }
    return codec.pack(frames.toBytes());
  }

  @Benchmark
  public long unpack() {
    var frame = new Frames.Reader(SegmentCodec.unpack(packed.codec(), packed.bytes()));
    long sum = 0;
    while (frame.next()) {
      sum += frame.idLow() + frame.payloadLength();
    }
    return sum;
  }
}
