package dev.queencell.loader.payload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class PayloadTest {
  private static final Filler FILLER = Filler.text(4096);

  private static Stamp stamp(int tenant, int partition, long sequence) {
    var stamp = new Stamp();
    stamp.run = 77;
    stamp.tenant = tenant;
    stamp.partition = partition;
    stamp.sequence = sequence;
    stamp.answered = sequence - 1;
    stamp.base = sequence;
    stamp.scheduledMicros = sequence * 1000;
    stamp.sentMicros = sequence * 1000 + 17;
    return stamp;
  }

  @Property
  void whatWasWrittenIsReadBackAndIsJsonOfTheAskedSize(
      @ForAll @IntRange(min = 0, max = 100_000) int tenant,
      @ForAll @IntRange(min = 0, max = 1_000_000) int partition,
      @ForAll @LongRange(min = 0, max = 1L << 32) long sequence,
      @ForAll @IntRange(min = 200, max = 4096) int size) {
    var written = stamp(tenant, partition, sequence);
    var writer = new PayloadWriter(FILLER, size);
    int length = writer.write(written);
    assertEquals(size, length);

    var tree = JsonMapper.shared().readTree(writer.buffer(), 0, length);
    assertEquals(sequence, tree.path("s").asLong());

    var read = new Stamp();
    var reader = new PayloadReader(FILLER, 77);
    assertEquals(PayloadReader.Finding.INTACT, reader.read(writer.buffer(), 0, length, read));
    assertEquals(written.toString(), read.toString());
    assertEquals(written.answered, read.answered);
    assertEquals(written.base, read.base);
    assertEquals(written.scheduledMicros, read.scheduledMicros);
    assertEquals(written.sentMicros, read.sentMicros);

    var loose = JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(tree);
    var flat = loose.replace("\n", "").getBytes(StandardCharsets.UTF_8);
    assertEquals(PayloadReader.Finding.INTACT, reader.read(flat, 0, flat.length, read), loose);
  }

  @Test
  void aChangedFillerIsCorruptAndAnythingElseIsForeign() {
    var writer = new PayloadWriter(FILLER, 300);
    int length = writer.write(stamp(1, 2, 3));
    var reader = new PayloadReader(FILLER, 77);
    var read = new Stamp();
    writer.buffer()[length - 5] = '#';
    assertEquals(PayloadReader.Finding.CORRUPT, reader.read(writer.buffer(), 0, length, read));
    assertEquals(
        PayloadReader.Finding.FOREIGN,
        new PayloadReader(FILLER, 78).read(writer.buffer(), 0, length, read));
    for (var other :
        new String[] {"null", "{}", "[1]", "{\"r\":77}", "\"x\"", "{\"r\":1,\"zz\":2}", ""}) {
      var bytes = other.getBytes(StandardCharsets.UTF_8);
      assertEquals(PayloadReader.Finding.FOREIGN, reader.read(bytes, 0, bytes.length, read), other);
    }
  }

  @Property
  void noBytesMakeTheReaderFail(@ForAll byte[] bytes) {
    var finding = new PayloadReader(FILLER, 77).read(bytes, 0, bytes.length, new Stamp());
    assertEquals(PayloadReader.Finding.FOREIGN, finding);
  }

  @Test
  void aBatchOfAHundredPacksAboutThreeToOneUnderFastZstd() {
    var batch = new ByteArrayOutputStream();
    var writer = new PayloadWriter(FILLER, 256);
    for (int i = 0; i < 100; i++) {
      batch.write(writer.buffer(), 0, writer.write(stamp(3, 5, 12_345 + i)));
    }
    double ratio = batch.size() / (double) Zstd.compress(batch.toByteArray(), 1).length;
    assertTrue(ratio > 2.6 && ratio < 3.4, () -> "packs " + ratio + ":1");
  }
}
