package dev.queencell.proxy.upstream;

import java.util.concurrent.atomic.AtomicMarkableReference;
import org.apache.hc.client5.http.config.Configurable;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.core5.concurrent.Cancellable;
import org.apache.hc.core5.concurrent.CancellableDependency;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;

/**
 * One request to a broker, with its path and query exactly as the client sent them. {@link #cancel}
 * may be called from any thread at any time: it cuts the connection under a blocked call.
 */
public final class BrokerRequest extends BasicClassicHttpRequest
    implements CancellableDependency, Configurable {
  private static final long serialVersionUID = 1;

  private final transient RequestConfig config;

  /** Marked once cancelled; refers to what a cancel has to cut. */
  private final transient AtomicMarkableReference<Cancellable> running =
      new AtomicMarkableReference<>(null, false);

  BrokerRequest(String method, String pathAndQuery, RequestConfig config) {
    super(method, pathAndQuery);
    this.config = config;
  }

  @Override
  public RequestConfig getConfig() {
    return config;
  }

  @Override
  public boolean isCancelled() {
    return running.isMarked();
  }

  @Override
  public void setDependency(Cancellable dependency) {
    var current = running.getReference();
    if (!running.compareAndSet(current, dependency, false, false)) {
      dependency.cancel();
    }
  }

  @Override
  public boolean cancel() {
    while (!running.isMarked()) {
      var current = running.getReference();
      if (running.compareAndSet(current, current, false, true)) {
        if (current != null) {
          current.cancel();
        }
        return true;
      }
    }
    return false;
  }
}
