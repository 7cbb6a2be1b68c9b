package dev.queencell.cell.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrendTest {
  private static final double MIB = 1024.0 * 1024;
  private static final Trend.Rule MEMORY = new Trend.Rule(true, 0.1, 24 * MIB);
  private static final Trend.Rule THROUGHPUT = new Trend.Rule(false, 0.1, 1);
  private static final int EVERY_SECONDS = 300;

  /** One value every five minutes, in MiB. */
  private static List<Trend.At> series(int checks, IntToDoubleFunction mib) {
    var series = new ArrayList<Trend.At>();
    for (int i = 0; i < checks; i++) {
      series.add(new Trend.At(i * EVERY_SECONDS, mib.applyAsDouble(i) * MIB));
    }
    return series;
  }

  /** What a cell of 1 CPU did at 188 messages/s, one value every 20 s, after two minutes. */
  private static List<Trend.At> recorded(String column) throws IOException {
    try (var in = TrendTest.class.getResourceAsStream("recorded.csv")) {
      var lines = new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).lines();
      var rows = lines.map(line -> List.of(line.split(",", -1))).toList();
      int at = rows.getFirst().indexOf(column);
      return rows.stream()
          .skip(7)
          .map(r -> new Trend.At(Double.parseDouble(r.getFirst()), Double.parseDouble(r.get(at))))
          .toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Its tail cache, of 200 MiB, was filling.
    "broker, true",
    // Slots of five minutes are written and truncated.
    "databaseBytes, false",
    "proxy, false",
    "state, false",
    "statepg, false"
  })
  void recordedSeriesHaveTheirKnownAnswers(String column, boolean grows) throws IOException {
    assertEquals(grows, Trend.of(recorded(column), MEMORY).isPresent());
  }

  @Test
  void aRecordedSeriesWithALeakOnTopGrows() throws IOException {
    var leaking =
        recorded("state").stream()
            .map(at -> new Trend.At(at.seconds(), at.value() + at.seconds() * MIB / 20))
            .toList();
    var trend = Trend.of(leaking, MEMORY).orElseThrow();
    assertEquals(180 * MIB, trend.perHour(), 20 * MIB);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 7, 11})
  void aSteadySawtoothIsNoTrendAtWhateverCheckItIsLookedAt(int period) {
    for (int checks = 3 * period; checks <= 150; checks++) {
      assertTrue(
          Trend.of(series(checks, i -> 100 + 80.0 * (i % period) / period), MEMORY).isEmpty(),
          checks + " checks");
    }
  }

  @Test
  void aSawtoothWhoseFootRisesIsOne() {
    var trend = Trend.of(series(40, i -> 100 + 40.0 * (i % 5) / 5 + 2 * i), MEMORY).orElseThrow();
    assertEquals(24 * MIB, trend.perHour(), 3 * MIB);
    assertEquals(78 * MIB, trend.change(), 10 * MIB);
    assertTrue(trend.z() > Trend.Z_MIN);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 10, 20, 30, 37})
  void oneStepIsNoTrend(int at) {
    assertTrue(Trend.of(series(40, i -> i < at ? 100 : 200), MEMORY).isEmpty());
  }

  @Test
  void whatHasFilledUpIsNoTrend() {
    assertTrue(Trend.of(series(60, i -> 300 - 200 * Math.exp(-i / 4.0)), MEMORY).isEmpty());
  }

  @Test
  void growthThatDoesNotMatterIsNoTrend() {
    assertTrue(Trend.of(series(60, i -> 1000 + 0.5 * i), MEMORY).isEmpty(), "a share too small");
    assertTrue(Trend.of(series(60, i -> 10 + 0.2 * i), MEMORY).isEmpty(), "12 MiB are few");
    assertTrue(Trend.of(series(60, i -> 100 + 0.6 * i), MEMORY).isPresent());
  }

  @Test
  void oneOutlierDecidesNothing() {
    assertTrue(Trend.of(series(60, i -> i == 59 ? 5000 : 100), MEMORY).isEmpty());
    assertTrue(Trend.of(series(60, i -> i == 30 ? 1 : 100 + 2.0 * i), MEMORY).isEmpty());
    assertTrue(Trend.of(series(60, i -> i == 30 ? 900 : 100 + 2.0 * i), MEMORY).isPresent());
  }

  @Test
  void aFallOfTheThroughputIsOneAndARiseIsNot() {
    assertTrue(Trend.of(series(30, i -> 500 - 5.0 * i), THROUGHPUT).orElseThrow().change() < 0);
    assertTrue(Trend.of(series(30, i -> 500 + 5.0 * i), THROUGHPUT).isEmpty());
  }

  @Test
  void fewValuesAreNotJudged() {
    assertTrue(Trend.of(series(Trend.VALUES_MIN - 1, i -> 100 + 100.0 * i), MEMORY).isEmpty());
    assertTrue(Trend.of(series(Trend.VALUES_MIN, i -> 100 + 100.0 * i), MEMORY).isPresent());
  }

  @Test
  void noiseIsNoTrend() {
    for (long seed = 1; seed <= 500; seed++) {
      var random = new Random(seed);
      assertTrue(
          Trend.of(series(60, _ -> 100 + 60 * random.nextDouble()), MEMORY).isEmpty(),
          "seed " + seed);
    }
  }
}
