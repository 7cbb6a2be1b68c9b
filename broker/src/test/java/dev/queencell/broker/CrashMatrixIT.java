package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.CrashClient.Request;
import dev.queencell.broker.journal.CommitHold;
import dev.queencell.service.Json;
import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.JavaProcess;
import dev.queencell.testsupport.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A broker process is killed at six points of its commits' way, with every kind of operation under
 * way at each, and started again. What was answered must be there; what was not must be there whole
 * or not at all; and asking again must lead to what asking once would have.
 *
 * <p>Every operation has a lane to itself, which is stopped at the point; when all stand there, the
 * process gets its SIGKILL. A second tenant has queues of the same names, which must not change.
 */
@Timeout(240)
class CrashMatrixIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final UUID TENANT = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
  private static final UUID NEIGHBOUR = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");
  private static final CrashOperation[] OPERATIONS = CrashOperation.values();

  /** One for each operation, one for the queue that a transaction reaches over to. */
  private static final int LANES = OPERATIONS.length + 1;

  /** Each operation writes to one of these; checkpoints, which the clock writes, to none. */
  private static final String WRITTEN_TABLES =
      "queen.queues, queen.groups, queen.dead_letters, queen.segments, queen.cursors";

  /** Written last by whatever writes to several tables. */
  private static final String TABLES_WRITTEN_LAST = "queen.segments, queen.cursors";

  @TempDir static Path spool;
  @TempDir static Path holds;
  private static JavaProcess broker;
  private static URI url;

  private final HttpClient http = HttpClient.newHttpClient();
  private final CrashClient client = new CrashClient(http, () -> url, TENANT);
  private final CrashClient neighbour = new CrashClient(http, () -> url, NEIGHBOUR);
  private Connection connection;

  enum Point {
    /** All is decided in memory. */
    BEFORE_SEND(Outcome.NOTHING),
    /** PostgreSQL has the commit and works on when the broker is gone already. */
    SENT(Outcome.EITHER),
    /** The same with a commit of several statements, of which some are through. */
    SENT_IN_PART(Outcome.EITHER),
    /** PostgreSQL has the commit, and is not through with it when the next broker takes over. */
    SENT_AND_FENCED(Outcome.NOTHING),
    /** PostgreSQL has committed. */
    DURABLE(Outcome.ALL),
    /** The client has read its answer. */
    ANSWERED(Outcome.ALL);

    private final Outcome outcome;

    Point(Outcome outcome) {
      this.outcome = outcome;
    }
  }

  enum Outcome {
    NOTHING,
    ALL,
    EITHER
  }

  /** An operation that the broker is killed at. */
  private record Crashed(CrashOperation operation, String queue, String other, Request request) {}

  @BeforeEach
  void connect() throws SQLException {
    connection = DATABASE.connect();
    if (broker == null || !broker.isAlive()) {
      launch();
      awaitOwner();
    }
  }

  @AfterEach
  void disconnect() throws SQLException {
    connection.close();
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static void launch() {
    broker =
        JavaProcess.ofClass("dev.queencell.broker.HeldBroker")
            .argument(holds.toString())
            .env("PORT", "0")
            .env("QUEENCELL_BROKER_URL", "http://127.0.0.1:1")
            .env("PG_HOST", DATABASE.host())
            .env("PG_PORT", Integer.toString(DATABASE.port()))
            .env("PG_USER", DATABASE.user())
            .env("PG_PASSWORD", DATABASE.password())
            .env("PG_DB", DATABASE.database())
            .env("QUEEN_TENANCY_HEADER", "true")
            .env("QUEEN_KV_TRUSTED_PROXY", "true")
            .env("FILE_BUFFER_DIR", spool.toString())
            .env("QUEENCELL_LANES", Integer.toString(LANES))
            .start();
  }

  private void awaitOwner() {
    url = broker.awaitReady();
    Await.until(
        "it owns the database",
        () -> client.send(Request.get("/health")).body().contains("\"role\":\"owner\""));
  }

  @ParameterizedTest
  @EnumSource
  void everyOperationIsWholeOrNotAtAllAndNeverTwice(Point point) throws Exception {
    var crashed = prepare(point);
    crash(point, crashed);
    var checks = new ArrayList<Executable>();
    for (var one : crashed) {
      var seen = view(one);
      report(point, one, seen);
      checks.add(() -> check(point, one, seen));
    }
    assertAll(checks);
    assertTrue(
        isTrue(
            """
            NOT EXISTS (SELECT FROM (
              SELECT base_offset, lag(base_offset + message_count, 1, 0::bigint)
                OVER (PARTITION BY partition_id ORDER BY base_offset) AS expected
              FROM queen.segments) s WHERE base_offset <> expected)
            """),
        "offsets without gap or repeat");
  }

  private List<Crashed> prepare(Point point) {
    var crashed = new ArrayList<Crashed>();
    var operations = new ArrayList<>(List.of(OPERATIONS));
    if (point == Point.SENT_IN_PART) {
      // They write to one table.
      operations.remove(CrashOperation.CONFIGURE);
      operations.remove(CrashOperation.CONFIGURE_A_NEW_QUEUE);
    }
    for (var operation : operations) {
      int lane = crashed.size();
      var name = (operation + "-" + point).toLowerCase(Locale.ROOT).replace('_', '-');
      var queue = queueOn(lane, name);
      var other =
          switch (operation) {
            case TRANSACTION -> queueOn(lane, name + "-other");
            case TRANSACTION_OVER_TWO_LANES -> queueOn(LANES - 1, name + "-other");
            default -> "";
          };
      neighbour.pushNew(queue, "n");
      var request = operation.prepare(client, queue, other);
      var one = new Crashed(operation, queue, other, request);
      assertEquals(operation.before, view(one).toString(), operation.toString());
      crashed.add(one);
    }
    return crashed;
  }

  /** A name that the broker gives to this lane. */
  private static String queueOn(int lane, String name) {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> name + "-" + i)
        .filter(queue -> Math.floorMod(31 * TENANT.hashCode() + queue.hashCode(), LANES) == lane)
        .findFirst()
        .orElseThrow();
  }

  /** Kills the broker with all operations at the point; there is a new one afterwards. */
  private void crash(Point point, List<Crashed> crashed) throws Exception {
    switch (point) {
      case BEFORE_SEND -> killHeld(CommitHold.BEFORE_SEND, crashed);
      case DURABLE -> killHeld(CommitHold.DURABLE, crashed);
      case SENT -> {
        killWaiting(WRITTEN_TABLES, crashed);
        launch();
      }
      case SENT_IN_PART -> {
        killWaiting(TABLES_WRITTEN_LAST, crashed);
        launch();
      }
      case SENT_AND_FENCED -> {
        try (var _ = lock(WRITTEN_TABLES)) {
          killWaiting(crashed);
          launch();
          Await.until("the former sessions have ended", () -> waitingCommits() == 0);
        }
      }
      case ANSWERED -> {
        for (var answer : ask(crashed)) {
          int status = answer.get(30, TimeUnit.SECONDS).statusCode();
          assertTrue(status == 200 || status == 201, () -> answer.join().body());
        }
        broker.kill9();
        launch();
      }
    }
    awaitOwner();
  }

  private void killHeld(String point, List<Crashed> crashed) throws Exception {
    var hold = Files.createFile(holds.resolve(point));
    try {
      var answers = ask(crashed);
      Await.value(
          "all lanes are held",
          () -> broker.output().stream().filter(CommitHold.line(point)::equals).count(),
          held -> held == answers.size());
      killUnanswered(answers);
    } finally {
      Files.delete(hold);
    }
    launch();
  }

  /** PostgreSQL goes on with the commits as soon as the broker is dead. */
  private void killWaiting(String tables, List<Crashed> crashed) throws Exception {
    try (var _ = lock(tables)) {
      killWaiting(crashed);
    }
  }

  /** Has all who write to these tables wait until it is closed. */
  private static Connection lock(String tables) throws SQLException {
    var lock = DATABASE.connect();
    lock.setAutoCommit(false);
    try (var statement = lock.createStatement()) {
      statement.execute("LOCK TABLE " + tables + " IN EXCLUSIVE MODE");
    }
    return lock;
  }

  private void killWaiting(List<Crashed> crashed) throws Exception {
    var answers = ask(crashed);
    Await.value("all commits are sent", this::waitingCommits, waiting -> waiting == answers.size());
    killUnanswered(answers);
  }

  private int waitingCommits() {
    return Integer.parseInt(
        value(
            "count(*) FROM pg_stat_activity WHERE datname = current_database()"
                + " AND application_name LIKE 'queencell-journal-%' AND wait_event_type = 'Lock'"));
  }

  private List<CompletableFuture<HttpResponse<String>>> ask(List<Crashed> crashed) {
    return crashed.stream().map(one -> client.sendAsync(one.request())).toList();
  }

  private static void killUnanswered(List<CompletableFuture<HttpResponse<String>>> answers) {
    broker.kill9();
    for (var answer : answers) {
      var failure = assertThrows(ExecutionException.class, () -> answer.get(30, TimeUnit.SECONDS));
      assertTrue(failure.getCause() instanceof IOException, "nobody was answered");
    }
  }

  private void check(Point point, Crashed one, CrashView seen) {
    var operation = one.operation();
    boolean happened = seen.toString().equals(operation.after);
    if (!happened) {
      assertEquals(operation.before, seen.toString(), operation + " is there in part");
    }
    if (point.outcome != Outcome.EITHER) {
      assertEquals(point.outcome == Outcome.ALL, happened, operation + " has happened");
    }
    var again = client.send(one.request());
    if (operation.isPush()) {
      assertEquals(201, again.statusCode(), again.body());
      var expected = happened ? "duplicate" : "queued";
      assertEquals(List.of(expected), distinctStatuses(again), operation + " again");
    }
    if (operation.isPop()) {
      assertEquals(happened ? 204 : 200, again.statusCode(), operation + " again");
    }
    assertEquals(operation.after, view(one).toString(), operation + " again");

    assertEquals(
        List.of("queued"), distinctStatuses(client.send(CrashClient.push(one.queue(), "z"))));
    var group = operation.group();
    var drain =
        CrashClient.pop(
            one.queue(), "batch=100&autoAck=true&subscriptionMode=all&consumerGroup=" + group);
    assertEquals(
        view(one).deliverable(group),
        CrashClient.texts(client.popped(drain)),
        operation + ": what is left to deliver");
    assertEquals(List.of("n"), neighbour.stored(one.queue()), operation + ": the neighbour's");
    assertEquals(
        List.of("n"),
        CrashClient.texts(neighbour.popped(drain)),
        operation + ": what the neighbour is given");
  }

  private static List<String> distinctStatuses(HttpResponse<String> pushed) {
    return CrashClient.statuses(Json.mapper().readTree(pushed.body())).stream().distinct().toList();
  }

  private CrashView view(Crashed one) {
    try {
      return CrashView.of(connection, client, one.queue(), one.other());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("SystemOut")
  private static void report(Point point, Crashed one, CrashView seen) {
    System.out.printf(
        "%-16s %-27s %-36s -> %s%n", point, one.operation(), one.operation().before, seen);
  }

  private boolean isTrue(String condition) {
    return value(condition).equals("t");
  }

  private String value(String expression) {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery("SELECT " + expression)) {
      row.next();
      return row.getString(1);
    } catch (SQLException e) {
      throw new IllegalStateException(expression, e);
    }
  }
}
