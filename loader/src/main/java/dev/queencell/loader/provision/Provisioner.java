package dev.queencell.loader.provision;

import dev.queencell.client.ControlPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Brings the tenants file and the tenant-state service to the same N tenants. A run creates what is
 * missing, replaces keys that are no longer accepted and leaves everything else alone; keys reach
 * the file soon after they are made, also when a later step fails. A key whose plain text was lost
 * can't be had again, so its tenant gets another one.
 */
public final class Provisioner {
  private static final String KEY_NAME = "loader";

  /** Writing the file after each of thousands of keys would cost more than making them. */
  private static final long SAVE_EVERY_NANOS = 200_000_000;

  private final ControlPlane control;
  private final Path file;
  private final String prefix;
  private final String plan;
  private final String cell;
  private final Consumer<String> progress;
  private final BooleanSupplier interrupted;

  /** What a run did, in tenants. */
  public record Outcome(int created, int rekeyed, int kept) {}

  public Provisioner(
      ControlPlane control,
      Path file,
      String prefix,
      String plan,
      String cell,
      Consumer<String> progress,
      BooleanSupplier interrupted) {
    this.control = control;
    this.file = file;
    this.prefix = prefix;
    this.plan = plan;
    this.cell = cell;
    this.progress = progress;
    this.interrupted = interrupted;
  }

  /**
   * Makes tenants {@code prefix0 … prefix(count-1)} usable.
   *
   * @throws IOException when the file can't be read or written, or holds another prefix's tenants
   */
  public Outcome provision(int count) throws IOException {
    var held = new TreeMap<Integer, BenchTenant>();
    for (var tenant : TenantsFile.read(file)) {
      if (!tenant.tenant().equals(prefix + tenant.index())) {
        throw new IOException(
            "%s holds tenant '%s'; with prefix '%s' use another file"
                .formatted(file, tenant.tenant(), prefix));
      }
      held.put(tenant.index(), tenant);
    }
    var clusterByKey = acceptedKeys(held);
    int kept = 0;
    int rekeyed = 0;
    int created = 0;
    long savedAt = System.nanoTime();
    boolean dirty = false;
    try {
      for (int i = 0; i < count && !interrupted.getAsBoolean(); i++) {
        var slug = prefix + i;
        var old = held.get(i);
        if (old != null && slug.equals(clusterByKey.get(old.apiKey()))) {
          kept++;
          continue;
        }
        held.put(i, makeUsable(i, slug));
        dirty = true;
        if (old == null) {
          created++;
        } else {
          rekeyed++;
        }
        if (System.nanoTime() - savedAt > SAVE_EVERY_NANOS) {
          TenantsFile.write(file, List.copyOf(held.values()));
          savedAt = System.nanoTime();
          dirty = false;
          progress.accept("%d of %d tenants".formatted(i + 1, count));
        }
      }
    } finally {
      if (dirty) {
        TenantsFile.write(file, List.copyOf(held.values()));
      }
    }
    return new Outcome(created, rekeyed, kept);
  }

  private BenchTenant makeUsable(int index, String slug) {
    var made = control.bootstrap(slug, plan, cell, KEY_NAME);
    // A tenant that was there keeps its keys, whose text nobody can tell any more: it gets another.
    var apiKey =
        made.apiKey().isEmpty()
            ? control.issueKey(made.clusterId(), KEY_NAME + "-" + System.currentTimeMillis())
            : made.apiKey();
    if (apiKey.isEmpty()) {
      throw new IllegalStateException("the state service gave no key for tenant " + slug);
    }
    return new BenchTenant(index, slug, slug, made.clusterId(), made.brokerTenantUuid(), apiKey);
  }

  /** Plain keys that are still accepted, with the cluster that each opens. */
  private Map<String, String> acceptedKeys(Map<Integer, BenchTenant> held) {
    var keyByHash = new HashMap<String, String>();
    held.values().forEach(t -> keyByHash.put(sha256Hex(t.apiKey()), t.apiKey()));
    var hashes = new ArrayList<>(keyByHash.keySet());
    var accepted = new HashMap<String, String>();
    for (int from = 0; from < hashes.size(); from += ControlPlane.KEY_HASHES_MAX) {
      var some = hashes.subList(from, Math.min(hashes.size(), from + ControlPlane.KEY_HASHES_MAX));
      control
          .checkKeys(some)
          .forEach((hash, cluster) -> accepted.put(keyByHash.get(hash), cluster));
    }
    return accepted;
  }

  private static String sha256Hex(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
