package dev.queencell.cell.series;

import java.util.List;

/**
 * A number of a point as the tables and files of a series show it.
 *
 * @param key its name in the files
 * @param source where it stands in the summary
 * @param title its name in a table
 * @param decimals how exact a table shows it
 * @param scale what a table multiplies it with
 */
record Metric(String key, String source, String title, int decimals, double scale) {
  static final Metric OFFERED = same("offeredPerSec", "offered/s", 0);
  static final Metric PUSHED = same("achievedPushPerSec", "pushed/s", 0);
  static final Metric DELIVERED = same("deliveredPerSec", "delivered/s", 0);
  static final Metric P50 = latency("p50", "p50 ms");
  static final Metric P99 = latency("p99", "p99 ms");
  static final Metric P999 = latency("p999", "p99.9 ms");
  static final Metric CELL_CORES = same("cellCores", "cell cores", 2);
  static final Metric CELL_CPU = same("cellCpuMicrosPerMessage", "cell CPU µs/msg", 0);
  static final Metric THROTTLED =
      new Metric("throttledShare", "throttledShare", "throttled %", 1, 100);
  static final Metric COMMITS = same("commitsPerMessage", "commits/msg", 3);
  static final Metric WAL_BYTES = same("walBytesPerMessage", "WAL B/msg", 0);
  static final Metric LOADER_CORES = same("loaderCores", "loader cores", 2);

  static final Metric LOADER_CPU = same("loaderCpuMicrosPerMessage", "loader CPU µs/msg", 0);
  static final Metric PROXY_REQUEST_CPU =
      same("proxyCpuMicrosPerRequest", "proxy CPU µs/request", 1);
  static final Metric PROXY_REQUESTS = same("proxyRequestsPerMessage", "proxy requests/msg", 3);
  static final Metric BROKER_CPU = cpu("broker");
  static final Metric PROXY_CPU = cpu("proxy");
  static final Metric PG_CPU = cpu("pg");
  static final Metric BROKER_ALLOCATED = allocated("broker");
  static final Metric PROXY_ALLOCATED = allocated("proxy");
  static final Metric BROKER_MEMORY = memory("broker");
  static final Metric PROXY_MEMORY = memory("proxy");
  static final Metric PG_MEMORY = memory("pg");
  static final Metric CELL_MEMORY = memory("slice");
  static final Metric FSYNC = same("walFsyncMicrosMean", "mean sync µs", 0);

  private static final double PER_MIB = 1 / (1024.0 * 1024.0);

  private static Metric cpu(String unit) {
    return new Metric(
        unit + "CpuMicrosPerMessage", "cpuMicrosPerMessage." + unit, unit + " CPU µs/msg", 1, 1);
  }

  private static Metric allocated(String unit) {
    return new Metric(
        unit + "AllocatedBytesPerMessage",
        "allocatedBytesPerMessage." + unit,
        unit + " allocated B/msg",
        0,
        1);
  }

  private static Metric memory(String unit) {
    return new Metric(
        unit + "MemoryPeakBytes",
        "memoryPeakBytes." + unit,
        (unit.equals("slice") ? "cell" : unit) + " peak MiB",
        0,
        PER_MIB);
  }

  private static Metric same(String key, String title, int decimals) {
    return new Metric(key, key, title, decimals, 1);
  }

  private static Metric latency(String percentile, String title) {
    return new Metric(percentile + "Ms", "latencyMs." + percentile, title, 1, 1);
  }

  /** The point's number, NaN when it is not known. */
  double of(MeasuredPoint point) {
    return point.number(source);
  }

  /** As a table shows it. */
  String text(double value) {
    return Numbers.rounded(value * scale, decimals);
  }

  static List<String> titles(List<Metric> metrics) {
    return metrics.stream().map(Metric::title).toList();
  }
}
