package dev.queencell.loader.account;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class AnsweredWatermarkTest {
  @Property
  void itIsTheEndOfTheUnbrokenRunOfAnswers(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 500) int spread) {
    var random = new Random(seed);
    var open = new ArrayList<Long>();
    var answered = new HashSet<Long>();
    var watermark = new AnsweredWatermark();
    long next = 0;
    long expected = -1;
    for (int i = 0; i < 2000; i++) {
      while (open.size() < spread) {
        open.add(next++);
      }
      long sequence = open.remove(random.nextInt(open.size()));
      watermark.answered(sequence);
      answered.add(sequence);
      while (answered.contains(expected + 1)) {
        expected++;
      }
      assertEquals(expected, watermark.through());
    }
  }
}
