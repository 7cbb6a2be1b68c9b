package dev.queencell.broker.spool;

import dev.queencell.broker.engine.PushItem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Consecutive records of one file that are replayed together. Used by one thread. */
final class Batch {
  /** One record of it. */
  static final class Entry {
    final byte[] body;
    final SpoolRecord record;
    final String name;
    boolean settled;
    int attempts;

    /**
     * A record on its way.
     *
     * @param record null when its body can't be read
     * @param name tells where it came from
     */
    Entry(byte[] body, SpoolRecord record, String name) {
      this.body = body;
      this.record = record;
      this.name = name;
    }

    PushItem item() {
      return record.item();
    }
  }

  final SpoolFile file;
  final List<Entry> entries;
  final long endBytes;

  Batch(SpoolFile file, List<Entry> entries, long endBytes) {
    this.file = file;
    this.entries = entries;
    this.endBytes = endBytes;
  }

  boolean settled() {
    return entries.stream().allMatch(entry -> entry.settled);
  }

  /** What is not settled, by tenant, each in the order of the file. */
  Map<UUID, List<Entry>> unsettled() {
    Map<UUID, List<Entry>> byTenant = new LinkedHashMap<>();
    for (var entry : entries) {
      if (!entry.settled && entry.record != null) {
        byTenant.computeIfAbsent(entry.record.tenant(), key -> new ArrayList<>()).add(entry);
      }
    }
    return byTenant;
  }
}
