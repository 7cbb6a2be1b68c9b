package dev.queencell.endtoend;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.client.Caller;
import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenClient;
import dev.queencell.client.QueenTransport;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;

/**
 * Many consumers that wait at one broker, more than there are open files for: over links, as the
 * proxy holds them. A program for whoever has some minutes, not a test. It prints what they cost
 * while nothing happens, in CPU and in heap, and whether messages that wake some of them come to
 * one each.
 *
 * <p>Arguments: how many consumers, and how long each waits before it asks again, in seconds.
 * {@code PARKED_BROKER_FLAGS} gives the broker other JVM flags than a cell of one CPU has.
 */
final class ParkedRun {
  private static final int LINKS = 4;

  /** A consumer in so many asks the same queue. */
  private static final int QUEUES = 100;

  private static final int AT_ONCE = 500;
  private static final int QUIET_SECONDS = 60;
  private static final int ROUNDS = 5;
  private static final int WOKEN_PER_ROUND = 1_000;
  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final String FLAGS =
      "-Xmx803m -Xms200m -Xss512k -XX:ActiveProcessorCount=1 -XX:+UseSerialGC"
          + " -XX:TieredStopAtLevel=1 -XX:+UseCompactObjectHeaders";
  private static final Pattern HEAP = Pattern.compile("\"heapUsed\":(\\d+)");
  private static final Pattern PARKED = Pattern.compile("\"parkedConsumers\":(\\d+)");
  private static final Pattern NUMBER = Pattern.compile("\"woken-(\\d+)\"");

  private final QueenClient client;
  private final ProcessHandle broker;
  private final int consumers;
  private final int waitSeconds;
  private final List<ParkingLink> links = new ArrayList<>();
  private final AtomicIntegerArray came = new AtomicIntegerArray(ROUNDS * WOKEN_PER_ROUND);
  private final AtomicInteger messages = new AtomicInteger();

  private ParkedRun(QueenClient client, long pid, int consumers, int waitSeconds) {
    this.client = client;
    this.broker = ProcessHandle.of(pid).orElseThrow();
    this.consumers = consumers;
    this.waitSeconds = waitSeconds;
  }

  public static void main(String[] arguments) throws Exception {
    try (var postgres = PostgresServer.disposable();
        var process = start(postgres);
        var beats = Executors.newSingleThreadScheduledExecutor()) {
      var url = process.awaitReady();
      var waits = Integer.parseInt(arguments[1]);
      try (var transport = new QueenTransport(URI.create(url.toString()))) {
        var run =
            new ParkedRun(
                transport.client(Caller.ANONYMOUS),
                process.pid(),
                Integer.parseInt(arguments[0]),
                waits);
        for (int i = 0; i < LINKS; i++) {
          run.links.add(new ParkingLink(url.getPort(), run.targets(i), run::take, beats));
        }
        run.run();
      } finally {
        beats.shutdownNow();
      }
    }
  }

  private static JavaProcess start(PostgresServer postgres) {
    var launch = JavaProcess.ofClass("dev.queencell.broker.BrokerMain");
    for (var flag : System.getenv().getOrDefault("PARKED_BROKER_FLAGS", FLAGS).split(" ", -1)) {
      launch.jvmFlag(flag);
    }
    return launch
        .env("PORT", "0")
        .env("PG_HOST", postgres.host())
        .env("PG_PORT", Integer.toString(postgres.port()))
        .env("PG_USER", PostgresServer.USER)
        .env("PG_PASSWORD", postgres.password())
        .env("PG_DB", "postgres")
        .start();
  }

  private String[] targets(int link) {
    var targets = new String[consumers / LINKS];
    Arrays.setAll(
        targets,
        i ->
            "/api/v1/pop/queue/parked-%d?consumerGroup=g&autoAck=true&wait=true&timeout=%d"
                .formatted((i * LINKS + link) % QUEUES, waitSeconds * 1000));
    return targets;
  }

  @SuppressWarnings("SystemOut")
  private void run() throws Exception {
    long before = liveHeap();
    long startedNs = System.nanoTime();
    int each = consumers / LINKS;
    for (int from = 0; from < each; from += AT_ONCE) {
      for (var link : links) {
        link.ask(from, Math.min(each, from + AT_ONCE));
      }
      long asked = Math.min(each, from + AT_ONCE) * (long) LINKS;
      Await.until("they wait", DEADLINE, () -> parked() + elsewhere() >= asked);
    }
    System.out.printf(
        "%d consumers asked within %.1f s; %d wait, %d were sent elsewhere%n",
        consumers, (System.nanoTime() - startedNs) / 1e9, parked(), elsewhere());
    long live = liveHeap();
    System.out.printf(
        "live heap %.1f MiB before, %.1f with them: %d bytes each%n",
        before / 1048576.0, live / 1048576.0, (live - before) / Math.max(1, parked()));
    quiet();
    wake();
    quiet();
    links.forEach(ParkingLink::close);
  }

  @SuppressWarnings("SystemOut")
  private void quiet() {
    long emptyBefore = links.stream().mapToLong(link -> link.empty.sum()).sum();
    var cpuBefore = cpu();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(QUIET_SECONDS));
    long spentMs = cpu().minus(cpuBefore).toMillis();
    long ended = links.stream().mapToLong(link -> link.empty.sum()).sum() - emptyBefore;
    System.out.printf(
        "%d s with %d waiting: %d ms of the broker's CPU = %.4f cores; %d asked again, %d failed%n",
        QUIET_SECONDS,
        parked(),
        spentMs,
        spentMs / 1e3 / QUIET_SECONDS,
        ended,
        links.stream().mapToLong(link -> link.failed.sum()).sum());
  }

  /** Pushes to lanes of their own, so that each message wakes one consumer. */
  @SuppressWarnings("SystemOut")
  private void wake() {
    for (int round = 0; round < ROUNDS; round++) {
      int expected = (round + 1) * WOKEN_PER_ROUND;
      var cpuBefore = cpu();
      long startedNs = System.nanoTime();
      var batch = new PushBatch();
      for (int i = round * WOKEN_PER_ROUND; i < expected; i++) {
        batch.add("parked-" + i % QUEUES, "lane-" + i / QUEUES, ascii("\"woken-" + i + "\""));
      }
      client.push(batch);
      Await.until("all have come", DEADLINE, () -> messages.get() >= expected);
      System.out.printf(
          "%d messages to as many lanes came after %.1f ms, for %d ms of the broker's CPU%n",
          WOKEN_PER_ROUND,
          (System.nanoTime() - startedNs) / 1e6,
          cpu().minus(cpuBefore).toMillis());
    }
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(2));
    int missing = 0;
    int twice = 0;
    for (int i = 0; i < came.length(); i++) {
      missing += came.get(i) == 0 ? 1 : 0;
      twice += came.get(i) > 1 ? 1 : 0;
    }
    System.out.printf(
        "of %d messages %d are missing and %d came more than once; %d wait%n",
        came.length(), missing, twice, parked());
  }

  private void take(String answer) {
    var number = NUMBER.matcher(answer);
    while (number.find()) {
      came.incrementAndGet(Integer.parseInt(number.group(1)));
      messages.incrementAndGet();
    }
  }

  private Duration cpu() {
    return broker.info().totalCpuDuration().orElseThrow();
  }

  private long elsewhere() {
    return links.stream().mapToLong(link -> link.elsewhere.sum()).sum();
  }

  private long parked() {
    return metric(PARKED);
  }

  private long liveHeap() throws IOException, InterruptedException {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    // What is dead may lie where it is after the first.
    for (int i = 0; i < 4; i++) {
      new ProcessBuilder(jcmd, Long.toString(broker.pid()), "GC.run")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
    return metric(HEAP);
  }

  private long metric(Pattern pattern) {
    var matcher = pattern.matcher(new String(client.get("/metrics"), StandardCharsets.UTF_8));
    if (!matcher.find()) {
      throw new IllegalStateException("no " + pattern);
    }
    return Long.parseLong(matcher.group(1));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
