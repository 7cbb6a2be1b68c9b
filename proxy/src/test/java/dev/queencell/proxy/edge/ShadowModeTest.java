package dev.queencell.proxy.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.proxy.body.PushScan;
import dev.queencell.proxy.directory.ClusterLimits;
import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.limit.Inventory;
import dev.queencell.proxy.metrics.EdgeMetrics;
import dev.queencell.service.HttpProblem;
import io.github.bucket4j.TimeMeter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The same traffic with and without enforcement: the same decisions. */
class ShadowModeTest {
  private static final Inventory NOTHING =
      new Inventory() {
        @Override
        public Optional<Queues> queues(ClusterView cluster) {
          return Optional.empty();
        }

        @Override
        public Optional<Set<String>> partitions(ClusterView cluster, String queue) {
          return Optional.empty();
        }
      };

  /** Time that both worlds share. */
  private static final class Clock implements TimeMeter {
    long nowNs = 1_000_000_000L;

    @Override
    public long currentTimeNanos() {
      return nowNs;
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }

  /** One proxy's limits, and the pops that wait in it. */
  private static final class World implements AutoCloseable {
    final EdgeMetrics metrics = new EdgeMetrics();
    final CellUse cell;
    final Quota quota;
    final ManagementBodies management;
    final Deque<Boolean> parked = new ArrayDeque<>();

    World(boolean enforce, Clock clock) {
      cell = new CellUse(clock, null);
      var policy = new EdgePolicy(enforce, true, false, Set.of(), null, 1, 10_000, 3, 1, 1);
      quota = new Quota(policy, new Enforcement(enforce), NOTHING, new LimitNotes(metrics));
      management = new ManagementBodies(quota);
    }

    /** True when the request passed every limit. */
    boolean serve(ClusterView cluster, Step step) {
      var use = cell.of(cluster);
      var pass = new Pass();
      try {
        quota.takeRequest(cluster, use, pass);
        switch (step.kind()) {
          case 0 -> quota.takePush(cluster, use, pass, step.body(), PushScan.Shape.PUSH);
          case 1 -> {
            boolean own = quota.park(cluster, use, pass);
            if (own || pass.isPassedOver()) {
              parked.addLast(own);
            }
          }
          case 2 -> Quota.debitDelivered(use, pass, step.count());
          default -> management.configure(cluster, use, pass, step.body());
        }
      } catch (HttpProblem e) {
        return false;
      }
      return !pass.isPassedOver();
    }

    @Override
    public void close() {
      metrics.close();
    }
  }

  private record Step(int kind, byte[] body, int count, long passNs) {
    static Step random(Random random) {
      int kind = random.nextInt(4);
      var queue = "q" + random.nextInt(6);
      var partition = "p" + random.nextInt(4);
      var item =
          "{\"queue\":\"%s\",\"partition\":\"%s\",\"payload\":1}".formatted(queue, partition);
      var body =
          kind == 0
              ? "{\"items\":[" + (item + ",").repeat(random.nextInt(3)) + item + "]}"
              : "{\"queue\":\"%s\",\"retentionSeconds\":%d}".formatted(queue, random.nextInt(200));
      return new Step(
          kind,
          body.getBytes(StandardCharsets.UTF_8),
          random.nextInt(30),
          random.nextInt(400_000_000));
    }
  }

  @Property(tries = 200)
  void shadowModeDecidesLikeEnforcement(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int rate,
      @ForAll @IntRange(min = 1, max = 20) int burst,
      @ForAll @IntRange(min = 1, max = 5) int cap) {
    var random = new Random(seed);
    var clock = new Clock();
    long no = ClusterLimits.UNLIMITED;
    var cluster =
        cluster(new ClusterLimits(rate, burst, rate, burst, cap, cap, cap, no, no, 100, no));
    try (var enforcing = new World(true, clock);
        var shadowing = new World(false, clock)) {
      List<Boolean> enforced = new ArrayList<>();
      List<Boolean> shadowed = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        var step = Step.random(random);
        enforced.add(enforcing.serve(cluster, step));
        shadowed.add(shadowing.serve(cluster, step));
        leaveBoth(random, enforcing, shadowing, cluster);
        clock.nowNs += step.passNs();
      }
      assertEquals(enforced, shadowed, "seed " + seed);
    }
  }

  /** The oldest pop that has a place ends in both; what has none ends in the shadow alone. */
  private static void leaveBoth(Random random, World enforcing, World shadowing, ClusterView of) {
    if (random.nextInt(3) > 0 || enforcing.parked.isEmpty()) {
      return;
    }
    enforcing.cell.of(of).unpark(enforcing.parked.removeFirst());
    while (!shadowing.parked.getFirst()) {
      shadowing.cell.of(of).unpark(shadowing.parked.removeFirst());
    }
    shadowing.cell.of(of).unpark(shadowing.parked.removeFirst());
  }

  @Test
  void theOperatorsWordGoesBeforeTheSettingAndCanBeTakenBack() {
    var enforcement = new Enforcement(false);
    enforcement.decided(Optional.of(true));
    assertTrue(enforcement.isOn());
    enforcement.decided(Optional.empty());
    assertEquals(false, enforcement.isOn());
  }

  private static ClusterView cluster(ClusterLimits limits) {
    return new ClusterView(
        new UUID(1, 1).toString(),
        "c",
        "uuid",
        ClusterStatus.ACTIVE,
        limits,
        Set.of(),
        new ClusterView.Blocks(false, false),
        "cell",
        "127.0.0.1",
        1,
        null);
  }
}
