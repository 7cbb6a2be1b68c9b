package dev.queencell.endtoend;

import dev.queencell.cell.postgres.PostgresServer;
import dev.queencell.client.Caller;
import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.client.QueueInfo;
import dev.queencell.testsupport.JavaProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The five processes of a cell without the kit: two PostgreSQL servers, state-db, broker and proxy,
 * each on a free port, each of which can be killed and started again on the same port.
 */
final class CellProcesses implements AutoCloseable {
  private static final String ADMIN_TOKEN = "admin-token-of-a-test-that-nobody-else-uses";
  private static final String EDGE_TOKEN = "edge-token-of-a-test-that-nobody-else-uses";

  /** So short that kills hit batches on their way. */
  private static final String METER_FLUSH_MS = "100";

  private static final Duration LOADER_DEADLINE = Duration.ofMinutes(3);

  final PostgresServer messages = PostgresServer.durable();
  private final PostgresServer tenants = PostgresServer.disposable();
  private final int statePort = BrokerProcess.freePort();
  private final int brokerPort = BrokerProcess.freePort();
  private final int proxyPort = BrokerProcess.freePort();
  private final int proxyAdminPort = BrokerProcess.freePort();
  private final List<JavaProcess> processes = new ArrayList<>();
  private final Path spool;
  private final Map<String, String> proxySettings;
  JavaProcess state;
  JavaProcess broker;
  JavaProcess proxy;

  /**
   * Starts all of them.
   *
   * @param folder outlives the processes: the proxy's spool is in it
   */
  CellProcesses(Path folder) {
    this(folder, Map.of());
  }

  /**
   * The same with settings of the proxy.
   *
   * @param proxySettings win over those that every test has
   */
  CellProcesses(Path folder, Map<String, String> proxySettings) {
    spool = folder.resolve("spool");
    this.proxySettings = proxySettings;
    startState();
    startBroker();
    registerCell();
    startProxy();
  }

  void startState() {
    state =
        keep(
            JavaProcess.ofClass("dev.queencell.state.StateMain")
                .jvmFlag("-Xmx128m")
                .env("QUEENCELL_STATE_PORT", Integer.toString(statePort))
                .env("PXDB_HOST", tenants.host())
                .env("PXDB_PORT", Integer.toString(tenants.port()))
                .env("PXDB_USER", PostgresServer.USER)
                .env("PXDB_PASSWORD", tenants.password())
                .env("PXDB_DB", "postgres")
                .env("QUEENCELL_ADMIN_TOKEN", ADMIN_TOKEN)
                .env("QUEENCELL_EDGE_TOKEN", EDGE_TOKEN)
                .start());
    state.awaitReady();
  }

  private JavaProcess keep(JavaProcess process) {
    processes.add(process);
    return process;
  }

  void startBroker() {
    broker =
        keep(
            JavaProcess.ofClass("dev.queencell.broker.BrokerMain")
                .jvmFlag("-Xmx256m")
                .env("PORT", Integer.toString(brokerPort))
                .env("PG_HOST", messages.host())
                .env("PG_PORT", Integer.toString(messages.port()))
                .env("PG_USER", PostgresServer.USER)
                .env("PG_PASSWORD", messages.password())
                .env("PG_DB", "postgres")
                .env("QUEEN_TENANCY_HEADER", "true")
                .env("QUEEN_KV_TRUSTED_PROXY", "true")
                .start());
    broker.awaitReady();
  }

  void startProxy() {
    proxy =
        keep(
            JavaProcess.ofClass("dev.queencell.proxy.ProxyMain")
                .jvmFlag("-Xmx128m")
                .env("QUEEN_PROXY_PORT", Integer.toString(proxyPort))
                .env("QUEENCELL_PROXY_ADMIN_PORT", Integer.toString(proxyAdminPort))
                .env("QUEENCELL_STATE_URL", stateUrl())
                .env("QUEENCELL_EDGE_TOKEN", EDGE_TOKEN)
                .env("QUEEN_PROXY_ENFORCE", "true")
                .env("QUEEN_PROXY_SPOOL_DIR", spool.toString())
                .env("QUEEN_PROXY_METER_FLUSH_MS", METER_FLUSH_MS)
                .env(proxySettings)
                .start());
    proxy.awaitReady();
  }

  private void registerCell() {
    var cell =
        JsonMapper.shared()
            .createObjectNode()
            .put("slug", "bench")
            .put("base_url", "http://127.0.0.1:" + brokerPort);
    control("POST", "/api/cp/cells", cell.toString());
  }

  /** A call of the control plane, which must succeed. */
  JsonNode control(String method, String path, String body) {
    var request =
        HttpRequest.newBuilder(URI.create(stateUrl() + path))
            .header("x-queen-cp-token", ADMIN_TOKEN)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    try (var http = HttpClient.newHttpClient()) {
      var answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() / 100 != 2) {
        throw new IllegalStateException("%s %s: %s".formatted(method, path, answer.body()));
      }
      return JsonMapper.shared().readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Usage that the proxy has counted and not handed over. */
  List<String> spooled() {
    try (var files = Files.list(spool)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("meter-"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One of the proxy's own gauges. */
  long proxyMetric(String name) {
    var line = "queencell_proxy_" + name + " ";
    var admin = URI.create("http://127.0.0.1:" + proxyAdminPort);
    try (var transport = new QueenTransport(admin)) {
      var page = transport.client(Caller.ANONYMOUS).get("/metrics/prometheus");
      return new String(page, StandardCharsets.UTF_8)
          .lines()
          .filter(each -> each.startsWith(line))
          .mapToLong(each -> (long) Double.parseDouble(each.substring(line.length())))
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("the proxy has no gauge " + name));
    }
  }

  String stateUrl() {
    return "http://127.0.0.1:" + statePort;
  }

  String proxyUrl() {
    return "http://127.0.0.1:" + proxyPort;
  }

  String brokerUrl() {
    return "http://127.0.0.1:" + brokerPort;
  }

  /** Messages that the broker has taken so far, by its own count; 0 when it can't be asked. */
  long pushed() {
    try (var transport = new QueenTransport(URI.create(brokerUrl()))) {
      return JsonMapper.shared()
          .readTree(transport.client(Caller.ANONYMOUS).get("/metrics"))
          .path("messages")
          .path("total")
          .longValue(0);
    } catch (QueenException e) {
      return 0;
    }
  }

  /** Messages that the broker holds of a tenant. */
  long stored(String brokerTenant) {
    try (var transport = new QueenTransport(URI.create(brokerUrl()))) {
      return transport.client(Caller.withTenant(brokerTenant)).queues().stream()
          .mapToLong(QueueInfo::messages)
          .sum();
    }
  }

  /** Creates tenants and keeps their keys in a file. */
  void provision(int count, Path file) {
    var loader =
        loader(
            "-mode",
            "provision",
            "-tenants",
            Integer.toString(count),
            "-prefix",
            "t",
            "-plan",
            "bench",
            "-cell",
            "bench",
            "-state-url",
            stateUrl(),
            "-token",
            ADMIN_TOKEN,
            "-file",
            file.toString());
    int code = loader.exitCode(LOADER_DEADLINE);
    if (code != 0) {
      throw new IllegalStateException("provisioning failed: " + loader.output());
    }
  }

  /** Starts the loader in a process of its own. */
  JavaProcess loader(String... arguments) {
    var launch = JavaProcess.ofClass("dev.queencell.loader.LoaderMain").jvmFlag("-Xmx256m");
    for (var argument : arguments) {
      launch.argument(argument);
    }
    return keep(launch.start());
  }

  @Override
  public void close() {
    processes.forEach(JavaProcess::close);
    messages.close();
    tenants.close();
  }
}
