package dev.queencell.cell.summary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.queencell.cell.sample.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class WindowTest {
  private static final double EXACT = 1e-9;

  @Test
  void theStartIsFoundOnTheSamplersClockAndTheLengthIsTheLoaders() {
    var samples = Recorded.unit("slice", 60, Map.of());
    var window = Window.at(samples, Recorded.EPOCH_MS + 10_400, 30);
    assertEquals(new Window(10_400, 40_400), window);
  }

  @Test
  void aStepOfTheWallClockInTheMiddleMovesNothing() {
    var samples = new ArrayList<Sample>();
    for (var sample : Recorded.unit("slice", 60, Map.of("cpuMicros", 100L))) {
      long stepMs = sample.monotonicMs() >= 25_000 ? 3_600_000 : 0;
      samples.add(
          new Sample(
              sample.monotonicMs(),
              sample.epochMs() + stepMs,
              sample.spanMs(),
              sample.labels(),
              sample.values()));
    }
    var window = Window.at(samples, Recorded.EPOCH_MS + 10_000, 30);
    assertEquals(new Window(10_000, 40_000), window);
    assertEquals(3_000, window.total(samples, "cpuMicros").amount(), EXACT);
  }

  @Test
  void aSampleAcrossTheEdgeGivesThePartOfItsTimeInside() {
    var samples = Recorded.unit("slice", 10, Map.of("cpuMicros", 1_000L));
    var total = new Window(2_250, 4_500).total(samples, "cpuMicros");
    assertEquals(2_250, total.amount(), EXACT);
    assertEquals(1_000, total.perSecond(), EXACT);
  }

  @Test
  void aSpanOverMissingSecondsCountsWhole() {
    var samples =
        List.of(
            Recorded.line("slice", 1_000, 1_000, Map.of("cpuMicros", 100L)),
            Recorded.line("slice", 5_000, 4_000, Map.of("cpuMicros", 400L)),
            Recorded.line("slice", 6_000, 1_000, Map.of("cpuMicros", 100L)));
    var total = new Window(0, 6_000).total(samples, "cpuMicros");
    assertEquals(600, total.amount(), EXACT);
    assertEquals(6_000, total.coveredMs(), EXACT);
  }

  @Test
  void aNumberThatIsNotKnownCoversNoTime() {
    var samples =
        List.of(
            Recorded.line("slice", 1_000, 1_000, Map.of("cpuMicros", 100L)),
            Recorded.line("slice", 2_000, 1_000, Map.of()));
    assertEquals(1_000, new Window(0, 2_000).total(samples, "cpuMicros").coveredMs(), EXACT);
    assertFalse(new Window(0, 2_000).total(samples, "periods").isKnown());
  }

  @Test
  void aStateIsTheLargestInsideTheWindow() {
    var samples =
        List.of(
            Recorded.line("pg", 1_000, 1_000, Map.of("memoryBytes", 900L)),
            Recorded.line("pg", 2_000, 1_000, Map.of("memoryBytes", 500L)),
            Recorded.line("pg", 3_000, 1_000, Map.of("memoryBytes", 700L)),
            Recorded.line("pg", 4_000, 1_000, Map.of("memoryBytes", 950L)));
    assertEquals(700, new Window(2_000, 4_000).max(samples, "memoryBytes"));
    assertEquals(Sample.UNKNOWN, new Window(2_000, 4_000).max(samples, "databaseBytes"));
  }

  /** Whatever window is cut in two, nothing is lost or counted twice. */
  @Property
  void twoHalvesOfAWindowAddUpToTheWhole(
      @ForAll @IntRange(max = 20_000) int a,
      @ForAll @IntRange(max = 20_000) int b,
      @ForAll @IntRange(max = 20_000) int c) {
    var cuts = List.of(a, b, c).stream().sorted().toList();
    var samples = Recorded.unit("slice", 20, Map.of("cpuMicros", 777L));
    double left = new Window(cuts.get(0), cuts.get(1)).total(samples, "cpuMicros").amount();
    double right = new Window(cuts.get(1), cuts.get(2)).total(samples, "cpuMicros").amount();
    double whole = new Window(cuts.get(0), cuts.get(2)).total(samples, "cpuMicros").amount();
    assertEquals(whole, left + right, 1e-6);
  }
}
