package dev.queencell.broker.http;

import dev.queencell.broker.store.HistoryReader.DeadLetter;
import dev.queencell.broker.store.HistoryReader.DeadLetters;
import dev.queencell.service.Json;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What the newest dead letters of a queue have in common. Two reasons that differ in ids and
 * numbers only are one signature.
 */
final class DeadLetterSignatures {
  private static final int TEXT_CHARS_MAX = 300;
  private static final Pattern UUIDS =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern NUMBERS = Pattern.compile("\\d+");

  private DeadLetterSignatures() {}

  static ObjectNode document(String queue, DeadLetters letters) {
    var sample = letters.sample();
    var document =
        Json.object()
            .put("queue", queue)
            .put("rowsNow", letters.count())
            .put("sample", sample.size());
    write(document.putArray("retryCounts"), counted(sample, DeadLetter::retryCount), "retryCount");
    write(document.putArray("groups"), counted(sample, DeadLetter::group), "group");
    document.put("oldest", time(letters.oldest())).put("newest", time(letters.newest()));
    if (sample.isEmpty()) {
      document.putNull("avgBytes");
    } else {
      document.put(
          "avgBytes", sample.stream().mapToLong(DeadLetter::payloadBytes).average().orElse(0));
    }
    var signatures = document.putArray("signatures");
    counted(sample, letter -> signature(letter.error())).entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(
            entry ->
                signatures
                    .addObject()
                    .put("text", entry.getKey())
                    .put("n", entry.getValue())
                    .put("share", (double) entry.getValue() / sample.size()));
    write(
        document.putArray("byDay"),
        counted(sample, letter -> LocalDate.ofInstant(letter.failedAt(), ZoneOffset.UTC)),
        "day");
    return document;
  }

  static String signature(String error) {
    var text = NUMBERS.matcher(UUIDS.matcher(error).replaceAll("<id>")).replaceAll("<n>");
    return text.length() <= TEXT_CHARS_MAX ? text : text.substring(0, TEXT_CHARS_MAX);
  }

  private static <K> Map<K, Long> counted(List<DeadLetter> sample, Function<DeadLetter, K> key) {
    return sample.stream().collect(Collectors.groupingBy(key, TreeMap::new, Collectors.counting()));
  }

  private static void write(ArrayNode array, Map<?, Long> counts, String name) {
    counts.forEach(
        (value, count) -> {
          var row = array.addObject();
          if (value instanceof Integer number) {
            row.put(name, number);
          } else {
            row.put(name, value.toString());
          }
          row.put("n", count);
        });
  }

  private static String time(Instant instant) {
    return instant == null ? null : Times.text(instant);
  }
}
