package dev.queencell.service;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.util.JavalinException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way a service here speaks HTTP: Javalin on Jetty with a virtual thread per request, set
 * up for small messages at high rates. No compression, no {@code Server} or {@code Date} header,
 * bodies read whole into one exact array and never beyond a cap, every refusal in one JSON shape.
 *
 * <p>Handlers may block. {@link #close()} refuses new requests, lets running ones finish within the
 * stop deadline, then cuts the rest.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /** Selectors and housekeeping only; requests run on virtual threads. */
  private static final int PLATFORM_THREADS_MAX = 16;

  /**
   * What each connection reads into while a request is under way. On the heap, and small: thousands
   * of clients may send at once, and in a small cell neither direct memory nor heap is there for
   * that.
   */
  private static final int INPUT_BUFFER_BYTES = 16 * 1024;

  private static final int INPUT_BUFFER_SMALL_HEAP_BYTES = 4 * 1024;
  private static final long SMALL_HEAP_BYTES = 512L * 1024 * 1024;

  /**
   * Header fields that a connection remembers: none. Jetty keeps them in a trie that takes a
   * hundred bytes of heap for each byte of this, on every connection.
   */
  private static final int HEADER_CACHE_BYTES = 0;

  /**
   * Heap that a request under way takes, buffers, stack and all: an estimate from a heap histogram.
   */
  private static final long HEAP_PER_CONNECTION_BYTES = 32 * 1024;

  private static final int REQUEST_HEADER_BYTES_MAX = 16 * 1024;

  /** A parked pop is silent for minutes, so idleness says nothing about a connection's health. */
  private static final long IDLE_TIMEOUT_MS = 300_000;

  /** When the server stops and all answers have been given, or their time is over. */
  private static final long CONNECTIONS_END_MS_MAX = 500;

  private static final long SILENT_CONNECTION_END_MS = 50;

  private static final int ACCEPT_QUEUE = 4096;

  private static final int CONNECTIONS_MAX = 20_000;

  /**
   * Heap that a request under way over a link takes, without its body, which whoever reads it
   * answers for: a parked pop takes 800 bytes.
   */
  private static final long HEAP_PER_LINKED_REQUEST_BYTES = 4 * 1024;

  /** As many pops as an engine lets wait, and room for what wakes them. */
  private static final int LINKED_REQUESTS_MAX = 120_000;

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  private final Javalin javalin;
  private final DirectHandler direct;
  private final long stopTimeoutMs;

  private HttpServer(Javalin javalin, DirectHandler direct, long stopTimeoutMs) {
    this.javalin = javalin;
    this.direct = direct;
    this.stopTimeoutMs = stopTimeoutMs;
  }

  /**
   * What is done without a thread for each request.
   *
   * @param routes requests that need no thread; null for none
   * @param linked the same of requests that come over links, see {@link LinkServer}; null: there
   *     are no links
   * @param client calls others on this server's threads; null for none
   */
  public record Direct(
      DirectRoutes<? super HttpExchange> routes,
      DirectRoutes<DirectExchange> linked,
      DirectClient client) {
    /** Every request takes a thread. */
    public static final Direct NONE = new Direct(null, null, null);
  }

  /** Starts listening, and probes silent clients as usual. */
  public static HttpServer start(
      String host, int port, long stopTimeoutMs, Consumer<RoutesConfig> routes) {
    return start(host, port, stopTimeoutMs, ClientProbes.DEFAULT, routes, Direct.NONE);
  }

  /**
   * Starts listening.
   *
   * @param port 0 takes a free one, see {@link #port()}
   * @param stopTimeoutMs how long {@link #close()} waits for running requests
   * @throws IllegalStateException when the address can't be bound
   */
  public static HttpServer start(
      String host,
      int port,
      long stopTimeoutMs,
      ClientProbes probes,
      Consumer<RoutesConfig> routes,
      Direct direct) {
    long fitting = Runtime.getRuntime().maxMemory() / HEAP_PER_CONNECTION_BYTES;
    int connectionsMax = (int) Math.min(CONNECTIONS_MAX, fitting);
    return start(host, port, stopTimeoutMs, connectionsMax, probes, routes, direct);
  }

  /** With a limit of its own; a connection above it waits until another one ends. */
  static HttpServer start(
      String host,
      int port,
      long stopTimeoutMs,
      int connectionsMax,
      ClientProbes probes,
      Consumer<RoutesConfig> routes,
      Direct parts) {
    var virtualThreads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());
    var direct = new DirectHandler(parts.routes, parts.linked, linkedRequestsMax(), virtualThreads);
    var javalin =
        Javalin.create(
            config -> {
              config.startup.showJavalinBanner = false;
              config.http.compressionStrategy = CompressionStrategy.NONE;
              // Bodies are capped where they are read, see body().
              config.http.maxRequestSize = Long.MAX_VALUE;
              config.router.treatMultipleSlashesAsSingleSlash = false;
              config.router.ignoreTrailingSlashes = false;
              config.jetty.threadPool = threadPool(virtualThreads);
              config.jetty.modifyServer(
                  server -> {
                    server.setStopTimeout(CONNECTIONS_END_MS_MAX);
                    server.setErrorHandler(HttpServer::writeJettyError);
                    server.setHandler(direct);
                  });
              config.jetty.addConnector(
                  (server, ignored) ->
                      connector(server, host, port, connectionsMax, probes, parts.client));
              config.routes.exception(HttpProblem.class, HttpServer::write);
              config.routes.exception(Exception.class, HttpServer::writeUnexpected);
              routes.accept(config.routes);
            });
    try {
      javalin.start();
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "can't listen on %s:%d: %s".formatted(host, port, rootMessage(e)), e);
    }
    return new HttpServer(javalin, direct, stopTimeoutMs);
  }

  /**
   * Runs something that gives many answers of {@link DirectRoutes} on the caller's thread: they are
   * handed to the thread that sends them all at once, at the end, which wakes it once.
   */
  public static void together(Runnable answering) {
    SelectorTurn.together(answering);
  }

  /** The port that is listened on. */
  public int port() {
    return javalin.port();
  }

  /** A method and the path that it was registered with, its parameters in braces. */
  public record Route(String method, String path) {}

  /** What is registered, in the order in which it is tried; filters and preflights left out. */
  public List<Route> routes() {
    return javalin.unsafe.internalRouter.allHttpHandlers().stream()
        .map(parsed -> new Route(parsed.endpoint.method.name(), parsed.endpoint.path))
        .filter(route -> METHODS.contains(route.method()))
        .toList();
  }

  @Override
  public void close() {
    direct.awaitAnswers(stopTimeoutMs);
    try {
      javalin.stop();
    } catch (JavalinException e) {
      // Jetty says so when it had to cut requests off at the deadline, which is what was announced.
      LOG.info("stopped with requests under way: {}", rootMessage(e));
    }
  }

  /**
   * The whole request body.
   *
   * @throws HttpProblem 413 as soon as it is known to exceed {@code maxBytes}
   */
  public static byte[] body(Context ctx, long maxBytes) {
    long announced = ctx.req().getContentLengthLong();
    if (announced > maxBytes) {
      throw tooLarge(maxBytes);
    }
    try {
      var in = ctx.req().getInputStream();
      if (announced >= 0) {
        return in.readNBytes((int) announced);
      }
      var body = in.readNBytes((int) Math.min(maxBytes + 1, Integer.MAX_VALUE - 8));
      if (body.length > maxBytes) {
        throw tooLarge(maxBytes);
      }
      return body;
    } catch (IOException e) {
      throw brokenBody();
    }
  }

  /** The refusal of a body whose connection ended inside it. */
  public static HttpProblem brokenBody() {
    return HttpProblem.badRequest("bad body: the connection ended inside it");
  }

  /** Sends JSON bytes as they are; the length is known, so that one write carries the answer. */
  public static void json(Context ctx, int status, byte[] body) throws IOException {
    var response = ctx.res();
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private static HttpProblem tooLarge(long maxBytes) {
    return new HttpProblem(413, "body is larger than " + maxBytes + " bytes", "payload_too_large");
  }

  private static void write(HttpProblem problem, Context ctx) {
    if (problem.retryAfterSeconds() > 0) {
      ctx.res().setHeader("Retry-After", Integer.toString(problem.retryAfterSeconds()));
    }
    try {
      json(ctx, problem.status(), problem.body());
    } catch (IOException e) {
      LOG.debug("client left before its answer: {}", e.toString());
    }
  }

  private static void writeUnexpected(Exception e, Context ctx) {
    LOG.error("{} {} failed", ctx.method(), ctx.path(), e);
    write(new HttpProblem(500, "internal error", "internal"), ctx);
  }

  private static boolean writeJettyError(Request request, Response response, Callback callback) {
    var problem = new HttpProblem(response.getStatus(), "bad request", "bad_request");
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    Content.Sink.write(
        response,
        true,
        new String(problem.body(), java.nio.charset.StandardCharsets.UTF_8),
        callback);
    return true;
  }

  private static QueuedThreadPool threadPool(Executor virtualThreads) {
    var pool = new SelectorTurn.Threads(PLATFORM_THREADS_MAX);
    pool.setVirtualThreadsExecutor(virtualThreads);
    pool.setName("jetty");
    return pool;
  }

  private static int linkedRequestsMax() {
    long fitting = Runtime.getRuntime().maxMemory() / HEAP_PER_LINKED_REQUEST_BYTES;
    return (int) Math.min(LINKED_REQUESTS_MAX, fitting);
  }

  private static ServerConnector connector(
      Server server,
      String host,
      int port,
      int connectionsMax,
      ClientProbes probes,
      DirectClient client) {
    var http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(REQUEST_HEADER_BYTES_MAX);
    var factory = new HttpConnectionFactory(http);
    long heapBytes = Runtime.getRuntime().maxMemory();
    factory.setInputBufferSize(
        heapBytes < SMALL_HEAP_BYTES ? INPUT_BUFFER_SMALL_HEAP_BYTES : INPUT_BUFFER_BYTES);
    http.setHeaderCacheSize(HEADER_CACHE_BYTES);
    http.setUseInputDirectByteBuffers(false);
    http.setUseOutputDirectByteBuffers(false);
    // Names with a slash or a percent sign arrive as encoded path segments; routes decode each
    // segment by itself, and nothing here maps a path to a file.
    http.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "segments",
            UriCompliance.Violation.AMBIGUOUS_PATH_SEPARATOR,
            UriCompliance.Violation.AMBIGUOUS_PATH_ENCODING));
    var connector = new WatchedConnector(server, factory, probes, client);
    connector.setHost(host);
    connector.setPort(port);
    connector.setIdleTimeout(IDLE_TIMEOUT_MS);
    connector.setShutdownIdleTimeout(SILENT_CONNECTION_END_MS);
    connector.setAcceptQueueSize(ACCEPT_QUEUE);
    // What is over the limit waits in the accept queue and is refused by the kernel when that is
    // full.
    connector.addBean(new NetworkConnectionLimit(connectionsMax, connector));
    return connector;
  }

  private static String rootMessage(Throwable e) {
    var root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }
}
