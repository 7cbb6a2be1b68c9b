package dev.queencell.proxy;

import dev.queencell.service.Settings;
import dev.queencell.testsupport.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/** The real tenant state, a recording broker, and as many proxies as a test starts. */
final class EdgeBench implements AutoCloseable {
  private final TestDatabase database;
  final TenantState state;
  final RecordingBroker broker;
  private final Deque<ProxyMain> proxies = new ArrayDeque<>();

  EdgeBench(TestDatabase database) {
    this.database = database;
    this.state = TenantState.start(database);
    this.broker = new RecordingBroker(0);
    state.useBroker(broker.port());
  }

  /** One more proxy. */
  ProxyMain proxy(Map<String, String> settings) {
    var proxy = ProxyMain.start(ProxyConfig.read(new Settings(environment(settings))));
    proxies.push(proxy);
    return proxy;
  }

  /** The settings of a proxy, to start it as a process. */
  Map<String, String> environment(Map<String, String> settings) {
    var environment = new TreeMap<String, String>();
    environment.put("QUEEN_PROXY_PORT", "0");
    environment.put("QUEEN_PROXY_ENFORCE", "true");
    environment.put("QUEENCELL_STATE_URL", state.url().toString());
    environment.put("QUEENCELL_EDGE_TOKEN", TenantState.EDGE_TOKEN);
    environment.putAll(settings);
    return environment;
  }

  /** A whole number from the tenant state's database. */
  long number(String sql) {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  /** What a tenant was billed so far, of one class. */
  long metered(TenantState.Tenant tenant, String column, String opClass) {
    return number(
        "SELECT coalesce(sum(%s), 0) FROM queen_proxy.usage_minutes WHERE cluster_id = '%s' AND op_class = '%s'"
            .formatted(column, tenant.clusterId(), opClass));
  }

  /** The value of a gauge or counter of a proxy. */
  static double metric(ProxyMain proxy, String nameAndLabels) {
    var text = new EdgeClient(proxy.adminPort()).get("/metrics/prometheus").host("x").send().text();
    return text.lines()
        .filter(line -> line.startsWith(nameAndLabels + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(nameAndLabels.length() + 1)))
        .sum();
  }

  void closeProxies() {
    while (!proxies.isEmpty()) {
      proxies.pop().close();
    }
  }

  @Override
  public void close() {
    broker.release();
    closeProxies();
    broker.close();
    state.close();
  }
}
