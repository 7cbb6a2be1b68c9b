package dev.queencell.service;

import java.util.concurrent.Executor;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/** A connection to another server, opened here, that a {@link WatchedConnector} is to serve. */
interface Adopted {
  /** What reads it. */
  Connection connection(EndPoint endPoint, Executor executor);

  /** It is served. */
  void opened();

  /** It could not be taken in. */
  void failed();
}
