package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.queencell.cell.sample.Sample;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GapsTest {
  private static final long INTERVAL_MS = 1_000;

  private static List<Sample> at(long... instantsMs) {
    return LongStream.of(instantsMs)
        .mapToObj(atMs -> Recorded.line("slice", atMs, INTERVAL_MS, Map.of()))
        .toList();
  }

  @Test
  void aSampleASecondLeavesNoGap() {
    var gaps = Gaps.in(new Window(500, 4_500), at(0, 1_000, 2_010, 2_990, 4_000), INTERVAL_MS);
    assertEquals(new Gaps(List.of(), 1.0), gaps);
  }

  @Test
  void skippedSecondsInTheMiddleAreCounted() {
    var gaps =
        Gaps.in(
            new Window(0, 10_000),
            at(1_000, 2_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000),
            INTERVAL_MS);
    assertEquals(List.of(new Gaps.Gap(2_000, 2)), gaps.gaps());
    assertEquals(0.8, gaps.coverage(), 1e-9);
  }

  @Test
  void aSamplerThatDiedIsAGapToTheEnd() {
    var gaps = Gaps.in(new Window(0, 10_000), at(1_000, 2_000, 3_000, 4_000), INTERVAL_MS);
    assertEquals(List.of(new Gaps.Gap(4_000, 5)), gaps.gaps());
  }

  @Test
  void noSampleAtAllIsOneGap() {
    var gaps = Gaps.in(new Window(0, 10_000), List.of(), INTERVAL_MS);
    assertEquals(1, gaps.gaps().size());
    assertEquals(0.1, gaps.coverage(), 1e-9);
  }
}
