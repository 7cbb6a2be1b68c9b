package dev.queencell.loader.pipeline;

import dev.queencell.loader.account.Produced;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The file {@code produced.meta} beside the stage logs: what was pushed to each queue, and whether
 * anything happened that makes a broker deliver again. One fact a line:
 *
 * <pre>
 * properties N
 * ota-groups N
 * causes N
 * QUEUE PROPERTY FIRST HIGHEST
 * QUEUE PROPERTY failed SEQUENCE
 * </pre>
 *
 * @param causes acks refused or failed, leases expired, pops lost
 */
record ProducedFile(int properties, int otaGroups, long causes, Map<String, Produced> queues) {
  private static final String NAME = "produced.meta";
  private static final int PROPERTIES_MAX = 1_000_000;

  void write(Path directory) throws IOException {
    try (var out = Files.newBufferedWriter(directory.resolve(NAME))) {
      out.write(
          "properties %d\nota-groups %d\ncauses %d\n".formatted(properties, otaGroups, causes));
      for (var entry : queues.entrySet()) {
        var produced = entry.getValue();
        for (int p = 0; p < properties; p++) {
          if (produced.highest(p) >= 0) {
            out.write(
                entry.getKey()
                    + " "
                    + p
                    + " "
                    + produced.base(p)
                    + " "
                    + produced.highest(p)
                    + "\n");
          }
          for (long sequence : produced.failed(p)) {
            out.write(entry.getKey() + " " + p + " failed " + sequence + "\n");
          }
        }
      }
    }
  }

  static ProducedFile read(Path directory) throws IOException {
    var file = directory.resolve(NAME);
    int properties = 0;
    int otaGroups = 0;
    long causes = 0;
    var queues = new LinkedHashMap<String, Produced>();
    try (var in = Files.newBufferedReader(file)) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        var words = line.split(" ", -1);
        switch (words[0]) {
          case "properties" -> {
            properties = Math.clamp(Long.parseLong(words[1]), 0, PROPERTIES_MAX);
            for (var queue : Topology.QUEUES) {
              queues.put(queue, new Produced(properties));
            }
          }
          case "ota-groups" -> otaGroups = Integer.parseInt(words[1]);
          case "causes" -> causes = Long.parseLong(words[1]);
          default -> fact(queues, words);
        }
      }
    } catch (NumberFormatException | IndexOutOfBoundsException | NullPointerException e) {
      throw new IOException(file + " is not what -mode cm writes", e);
    }
    return new ProducedFile(properties, otaGroups, causes, queues);
  }

  private static void fact(Map<String, Produced> queues, String... words) {
    var produced = queues.get(words[0]);
    int property = Integer.parseInt(words[1]);
    if (words[2].equals("failed")) {
      produced.failed(property, Long.parseLong(words[3]));
    } else {
      produced.accepted(property, Long.parseLong(words[2]));
      produced.accepted(property, Long.parseLong(words[3]));
    }
  }
}
