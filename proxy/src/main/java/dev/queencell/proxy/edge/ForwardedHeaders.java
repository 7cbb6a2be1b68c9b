package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterView;
import java.util.Locale;
import java.util.Set;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Which headers cross the proxy. What belongs to one connection stays on its side; credentials and
 * whatever speaks of tenants or of the proxy's own business never reach the broker; the tenant and
 * the cell's credential are put in instead.
 */
final class ForwardedHeaders {
  static final String TENANT = "x-queen-tenant";

  /** Ends at the connection, both ways; the lengths are said anew by who sends the body. */
  private static final Set<String> CONNECTION_ONLY =
      Set.of(
          "connection",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  /** Never sent on to a broker. */
  private static final Set<String> CLIENT_ONLY =
      Set.of(
          "host",
          "content-length",
          "expect",
          "authorization",
          "cookie",
          TENANT,
          Gatekeeper.ACT_CLUSTER,
          "x-queen-cp-token",
          "x-queen-edge-token");

  private ForwardedHeaders() {}

  /** Is told the headers of a request to a broker, one by one. */
  @FunctionalInterface
  interface Broker {
    void header(String name, String value);
  }

  /** Puts on the request to the broker what it may know. */
  static void toBroker(
      HttpFields client, ClusterView cluster, boolean tenantHeader, Broker broker) {
    var named = client.get(HttpHeader.CONNECTION);
    for (HttpField field : client) {
      var name = field.getLowerCaseName();
      if (!CONNECTION_ONLY.contains(name) && !CLIENT_ONLY.contains(name) && !isNamed(named, name)) {
        broker.header(field.getName(), field.getValue());
      }
    }
    if (tenantHeader) {
      broker.header(TENANT, cluster.brokerTenantUuid());
    }
    if (cluster.cellAuthorization() != null) {
      broker.header("Authorization", cluster.cellAuthorization());
    }
  }

  /** Puts on the answer to the client what the broker said. */
  static void toClient(ClassicHttpResponse broker, HttpFields.Mutable client) {
    // The server's own default; the broker decides, also that there is none.
    client.remove(HttpHeader.CONTENT_TYPE);
    var connection = broker.getFirstHeader("Connection");
    var named = connection == null ? null : connection.getValue();
    var headers = broker.headerIterator();
    while (headers.hasNext()) {
      var header = headers.next();
      var name = header.getName().toLowerCase(Locale.ROOT);
      if (!CONNECTION_ONLY.contains(name) && !isNamed(named, name)) {
        client.add(header.getName(), header.getValue());
      }
    }
  }

  /** The same of an answer that was read without a thread. */
  static void toClient(HttpFields broker, HttpFields.Mutable client) {
    var named = broker.get(HttpHeader.CONNECTION);
    for (HttpField field : broker) {
      var name = field.getLowerCaseName();
      if (!CONNECTION_ONLY.contains(name) && !isNamed(named, name)) {
        client.add(field);
      }
    }
  }

  /** True when a {@code Connection} header claims the header for its own connection. */
  private static boolean isNamed(String connection, String lowerCaseName) {
    if (connection == null || connection.length() < lowerCaseName.length()) {
      return false;
    }
    for (var token : connection.split(",", -1)) {
      if (token.strip().equalsIgnoreCase(lowerCaseName)) {
        return true;
      }
    }
    return false;
  }
}
