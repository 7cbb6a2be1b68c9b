package dev.queencell.cell.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleFileTest {
  @TempDir private Path folder;

  @Test
  void whatWasWrittenIsReadBackWithUnknownNumbersAbsent() throws IOException {
    var line =
        new Sample(
            2_000,
            1_700_000_002_000L,
            1_000,
            Map.of("unit", "broker", "source", "cgroup2"),
            Map.of("cpuMicros", 250_000L, "memoryBytes", 7L));
    try (var out = SampleFile.USAGE.create(folder, "r1")) {
      out.row(SampleFile.USAGE.row(line));
    }
    assertEquals(List.of(line), SampleFile.USAGE.read(folder, "r1"));
  }

  @Test
  void aLineThatACrashCutShortIsLeftOut() throws IOException {
    try (var out = SampleFile.WAITS.create(folder, "r1")) {
      out.row(List.of("1000", "1", "0", "queencell", "client backend", "IO", "WalSync", "2"));
    }
    Files.writeString(
        SampleFile.WAITS.in(folder, "r1"),
        Files.readString(SampleFile.WAITS.in(folder, "r1")) + "2000,2,0,queencell,cli");
    var lines = SampleFile.WAITS.read(folder, "r1");
    assertEquals(1, lines.size());
    assertEquals("WalSync", lines.getFirst().label("waitEvent"));
    assertEquals(2, lines.getFirst().value("backends"));
  }

  @Test
  void aFileOfALaterVersionWithMoreColumnsCanBeRead() {
    var rows = CsvFile.parse(List.of("spanMs,new,epochMs,monotonicMs,commits", "1000,x,5,4,77"));
    var sample = SampleFile.DATABASE.samples(rows).getFirst();
    assertEquals(77, sample.value("commits"));
    assertEquals(4, sample.monotonicMs());
    assertEquals(Sample.UNKNOWN, sample.value("walBytes"));
  }

  @Test
  void quotesCommasAndLineBreaksInACellDoNotBreakItsLine() throws IOException {
    var file = folder.resolve("x.csv");
    try (var out = new CsvFile.Writer(file, List.of("a", "b"))) {
      out.row(List.of("say \"hi\", you", "one\ntwo"));
    }
    assertEquals(List.of(Map.of("a", "say \"hi\", you", "b", "one two")), CsvFile.read(file));
  }

  @Test
  void aRowOfAnotherWidthIsRefused() throws IOException {
    try (var out = new CsvFile.Writer(folder.resolve("x.csv"), List.of("a", "b"))) {
      assertThrows(IllegalArgumentException.class, () -> out.row(List.of("1")));
    }
  }
}
