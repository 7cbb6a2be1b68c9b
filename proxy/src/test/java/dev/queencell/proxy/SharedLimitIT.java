package dev.queencell.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Three proxies, one quota. */
class SharedLimitIT {
  private static final int PROXIES = 3;
  private static final int RESERVES_PER_BURST = 8;

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();

  private EdgeBench bench;
  private TenantState.Tenant tenant;
  private List<ProxyMain> proxies;

  @BeforeEach
  void start() {
    bench = new EdgeBench(DATABASE);
    tenant = bench.state.tenant("bench");
    proxies = new ArrayList<>();
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private void startProxies() {
    for (int i = 0; i < PROXIES; i++) {
      proxies.add(bench.proxy(Map.of("QUEENCELL_PROXY_REPLICAS", Integer.toString(PROXIES))));
    }
  }

  private int request(ProxyMain proxy) {
    return new EdgeClient(proxy.port())
        .get("/health")
        .host(tenant.host())
        .key(tenant.key())
        .send()
        .status();
  }

  /** How many of so many requests pass, spread over all proxies by many clients. */
  private int admitted(int clients, int each) throws Exception {
    var admitted = new AtomicInteger();
    var threads = new ArrayList<Thread>();
    for (int c = 0; c < clients; c++) {
      var proxy = proxies.get(c % PROXIES);
      threads.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    for (int i = 0; i < each; i++) {
                      if (request(proxy) == 200) {
                        admitted.incrementAndGet();
                      }
                    }
                  }));
    }
    for (var thread : threads) {
      thread.join();
    }
    return admitted.get();
  }

  @Test
  void togetherTheyAdmitWhatOneWouldAndNotOneMore() throws Exception {
    int burst = 240;
    bench.state.overrides(tenant, "{\"max_req_per_sec\": 1, \"req_burst\": " + burst + "}");
    startProxies();
    long startNs = System.nanoTime();
    int admitted = admitted(24, 30);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    assertTrue(admitted <= burst + seconds, admitted + " in " + seconds + " s");
    int reserves = PROXIES * (burst / RESERVES_PER_BURST);
    assertTrue(
        admitted >= burst - reserves, "what lies idle is at most a reserve each: " + admitted);
    double calls =
        proxies.stream()
            .mapToDouble(proxy -> EdgeBench.metric(proxy, "queencell_proxy_shared_limit_calls"))
            .sum();
    assertTrue(calls < admitted, calls + " calls to admit " + admitted);
  }

  @Test
  void afterAQuietTimeTheyExceedItByAtMostAReserveEach() throws Exception {
    int burst = 240;
    int perSecond = 400;
    bench.state.overrides(
        tenant, "{\"max_req_per_sec\": %d, \"req_burst\": %d}".formatted(perSecond, burst));
    startProxies();
    for (var proxy : proxies) {
      assertEquals(200, request(proxy), "each holds a reserve, and the bucket fills up again");
    }
    long startNs = System.nanoTime();
    int admitted = admitted(24, 60);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    int most = burst + PROXIES * (burst / RESERVES_PER_BURST);
    assertTrue(admitted <= most + perSecond * seconds, admitted + " of 1440 in " + seconds + " s");
  }

  @Test
  void whatOneProxyLeavesIdleTheOthersGet() {
    int burst = 80;
    bench.state.overrides(tenant, "{\"max_req_per_sec\": 1, \"req_burst\": " + burst + "}");
    startProxies();
    assertEquals(200, request(proxies.get(0)));
    assertEquals(200, request(proxies.get(1)));
    var passed = new AtomicInteger(2);
    Await.until(
        "the third gets all the rest",
        () -> {
          passed.addAndGet(request(proxies.get(2)) == 200 ? 1 : 0);
          return passed.get() >= burst;
        });
  }

  @Test
  void whatOneProxyDeliversStopsThePushesOfAnother() {
    bench.state.overrides(tenant, "{\"max_msgs_per_sec\": 1, \"msgs_burst\": 100}");
    startProxies();
    bench.broker.answerWith(
        (ctx, seen) ->
            RecordingBroker.json(ctx, 200, "{\"messages\":[" + "1,".repeat(499) + "1]}"));
    var pop =
        new EdgeClient(proxies.get(0).port())
            .get("/api/v1/pop/queue/q")
            .host(tenant.host())
            .key(tenant.key())
            .send();
    assertEquals(200, pop.status());
    Await.until(
        "the other proxy refuses",
        () ->
            new EdgeClient(proxies.get(1).port())
                    .post("/api/v1/push")
                    .host(tenant.host())
                    .key(tenant.key())
                    .body("{\"items\":[{\"queue\":\"q\",\"payload\":1}]}")
                    .send()
                    .status()
                == 429);
  }

  @Test
  void withoutTheTenantStateEachGoesByItsShareAndSettlesLater() throws Exception {
    int burst = 90;
    bench.state.overrides(tenant, "{\"max_req_per_sec\": 1, \"req_burst\": " + burst + "}");
    startProxies();
    for (var proxy : proxies) {
      assertEquals(200, request(proxy));
    }
    int reserves = PROXIES * (burst / RESERVES_PER_BURST);
    bench.state.process().pause();
    long startNs = System.nanoTime();
    int admitted;
    try {
      admitted = admitted(12, 40);
    } finally {
      bench.state.process().resume();
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    assertTrue(admitted <= burst + reserves + seconds, admitted + " in " + seconds + " s");
    assertTrue(admitted >= burst / 2, "a share each still passes: " + admitted);
    double fallbacks =
        proxies.stream()
            .mapToDouble(proxy -> EdgeBench.metric(proxy, "queencell_proxy_shared_limit_fallbacks"))
            .sum();
    assertTrue(fallbacks >= admitted - reserves, fallbacks + " counted");
    Await.until(
        "what passed is owed",
        () ->
            bench.number(
                    "SELECT count(*) FROM queen_proxy.quota_buckets WHERE cluster_id = '%s'"
                        .formatted(tenant.clusterId()))
                == 1);
    int again = admitted(3, 40);
    double later = (System.nanoTime() - startNs) / 1e9;
    assertTrue(
        admitted + again + PROXIES <= burst + reserves + later + burst,
        "in all %d in %s s".formatted(admitted + again, later));
  }
}
