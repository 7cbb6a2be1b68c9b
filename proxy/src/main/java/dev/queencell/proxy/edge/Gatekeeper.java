package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.KeyView;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClass;
import dev.queencell.service.HttpProblem;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Which cluster a request is for and whether its key may make it: steps 1 to 6 of the contract.
 * Each step refuses before the next one reveals anything. On a listener with shared hosts the
 * status of a cluster is told only to those who hold a key.
 *
 * <p>Thread-safe.
 */
final class Gatekeeper {
  static final String ACT_CLUSTER = "x-queen-act-cluster";

  private final Directory directory;
  private final UsedKeys usedKeys;
  private final EdgePolicy policy;

  Gatekeeper(Directory directory, UsedKeys usedKeys, EdgePolicy policy) {
    this.directory = directory;
    this.usedKeys = usedKeys;
    this.policy = policy;
  }

  /**
   * Lets a request pass.
   *
   * @return the cluster that it is for
   * @throws HttpProblem the refusal
   */
  ClusterView admit(HttpFields headers, Route route) {
    try {
      return check(headers, route);
    } catch (StateAwayException e) {
      throw Refusals.stateAway();
    }
  }

  private ClusterView check(HttpFields headers, Route route) {
    boolean sharing = !policy.sharedHosts().isEmpty();
    var host = HostName.whole(headers.get(HttpHeader.HOST));
    KeyView key = null;
    ClusterView cluster;
    if (sharing && policy.sharedHosts().contains(host)) {
      key = authenticate(headers);
      cluster = clusterOf(key);
    } else {
      cluster = clusterAt(host);
      if (cluster == null) {
        if (sharing) {
          // Who holds no key is not told which names exist.
          authenticate(headers);
        }
        throw Refusals.clusterUnknown();
      }
    }
    if (!sharing) {
      refuseByStatus(cluster, route);
    }
    refuseByRoute(cluster, route);
    if (key == null) {
      key = authenticate(headers);
    }
    if (!key.clusterId().equals(cluster.id())) {
      throw Refusals.keyMismatch();
    }
    if (sharing) {
      refuseByStatus(cluster, route);
    }
    authorize(key, route.routeClass());
    usedKeys.note(key.id());
    return cluster;
  }

  private ClusterView clusterAt(String host) {
    var label = HostName.label(host);
    var cluster = label == null ? null : directory.clusterBySlug(label).orElse(null);
    if (cluster == null && policy.defaultCluster() != null) {
      return directory.clusterBySlug(policy.defaultCluster()).orElse(null);
    }
    return cluster;
  }

  private ClusterView clusterOf(KeyView key) {
    return directory.clusterById(key.clusterId()).orElseThrow(Refusals::unauthorized);
  }

  private KeyView authenticate(HttpFields headers) {
    var hash = KeyHash.of(headers);
    if (hash == null) {
      throw Refusals.unauthorized();
    }
    var key = directory.keyByHash(hash).orElseThrow(Refusals::unauthorized);
    if (headers.contains(ACT_CLUSTER)) {
      throw Refusals.keyCantAct();
    }
    return key;
  }

  private static void refuseByStatus(ClusterView cluster, Route route) {
    if (cluster.status() == ClusterStatus.SUSPENDED) {
      throw Refusals.clusterSuspended();
    }
    if (cluster.status() == ClusterStatus.PUSH_BLOCKED && route.grows()) {
      throw Refusals.pushBlocked();
    }
  }

  private static void refuseByRoute(ClusterView cluster, Route route) {
    switch (route.routeClass()) {
      case BLOCKED, OPERATOR -> throw Refusals.routeBlocked();
      default -> {
        var feature = route.feature();
        if (feature != null && !cluster.features().contains(feature)) {
          throw Refusals.featureGated(feature.wireName());
        }
      }
    }
  }

  private static void authorize(KeyView key, RouteClass routeClass) {
    if (!routeClass.allows(key.scopes())) {
      throw Refusals.forbidden(
          switch (routeClass) {
            case PRODUCE -> "the scope produce";
            case CONSUME -> "the scope consume";
            case QUEUE_ADMIN -> "the scope admin";
            case READ -> "the scope read or admin";
            default -> "the scope produce or consume";
          });
    }
  }
}
