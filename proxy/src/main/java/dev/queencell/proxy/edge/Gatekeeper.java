package dev.queencell.proxy.edge;

import dev.queencell.proxy.directory.ClusterStatus;
import dev.queencell.proxy.directory.ClusterView;
import dev.queencell.proxy.directory.Directory;
import dev.queencell.proxy.directory.KeyView;
import dev.queencell.proxy.directory.Names;
import dev.queencell.proxy.directory.NotRememberedException;
import dev.queencell.proxy.directory.SessionQuestion;
import dev.queencell.proxy.directory.SessionView;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.UsedKeys;
import dev.queencell.proxy.limit.CellUse;
import dev.queencell.proxy.route.Route;
import dev.queencell.proxy.route.RouteClass;
import dev.queencell.service.HttpProblem;
import java.time.YearMonth;
import java.time.ZoneOffset;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Which cluster a request is for and whether its key or session may make it: steps 1 to 6 of the
 * contract. Each step refuses before the next one reveals anything. On a listener with shared hosts
 * the status of a cluster is told only to those who hold a credential.
 *
 * <p>Thread-safe.
 */
final class Gatekeeper {
  static final String ACT_CLUSTER = "x-queen-act-cluster";

  /** A key with its cluster, or a session with the one that it acts on; the other is null. */
  private record Principal(KeyView key, SessionView session) {}

  private final Directory directory;
  private final UsedKeys usedKeys;
  private final CellUse cell;
  private final EdgePolicy policy;

  Gatekeeper(Directory directory, UsedKeys usedKeys, CellUse cell, EdgePolicy policy) {
    this.directory = directory;
    this.usedKeys = usedKeys;
    this.cell = cell;
    this.policy = policy;
  }

  /**
   * Lets a request pass.
   *
   * @return the cluster that it is for
   * @throws HttpProblem the refusal
   */
  ClusterView admit(Exchange exchange) {
    try {
      return check(exchange, directory);
    } catch (StateAwayException e) {
      throw Refusals.stateAway();
    }
  }

  /**
   * The same for one that can't wait for the tenant state.
   *
   * @throws NotRememberedException when it would have to be asked; nothing has come of it
   */
  ClusterView admitFromMemory(Exchange exchange) {
    return check(exchange, directory.memory());
  }

  /** The cluster that a host names, or null. */
  ClusterView clusterAt(String host) {
    return clusterAt(host, directory);
  }

  private ClusterView clusterAt(String host, Names names) {
    var label = HostName.label(host);
    var cluster = label == null ? null : names.clusterBySlug(label).orElse(null);
    if (cluster == null && policy.defaultCluster() != null) {
      return names.clusterBySlug(policy.defaultCluster()).orElse(null);
    }
    return cluster;
  }

  boolean isShared(String host) {
    return policy.sharedHosts().contains(host);
  }

  /** What stops pushes of a cluster, or null. */
  HttpProblem pushBlock(ClusterView cluster) {
    if (cluster.status() == ClusterStatus.PUSH_BLOCKED) {
      return Refusals.pushBlocked();
    }
    var use = cell.ofKnown(cluster.id());
    boolean full =
        cluster.blocks().storage()
            || (use != null && use.storage().isBlocked(cluster.limits().retainedBytes()));
    if (full) {
      return Refusals.storageExceeded();
    }
    return cluster.blocks().monthly()
        ? Refusals.monthExceeded(YearMonth.now(ZoneOffset.UTC))
        : null;
  }

  private ClusterView check(Exchange exchange, Names names) {
    boolean sharing = !policy.sharedHosts().isEmpty();
    var host = HostName.whole(exchange.headers().get(HttpHeader.HOST));
    Principal principal = null;
    ClusterView cluster;
    if (isShared(host)) {
      principal = authenticate(exchange, names, null, true);
      cluster = clusterOf(principal, names);
    } else {
      cluster = clusterAt(host, names);
      if (cluster == null) {
        if (sharing) {
          // Who holds no credential is not told which names exist.
          authenticateAnywhere(exchange, names);
        }
        throw Refusals.clusterUnknown();
      }
    }
    if (!sharing) {
      refuseByStatus(cluster, exchange.route());
    }
    refuseByRoute(cluster, exchange.route());
    if (principal == null) {
      principal = authenticate(exchange, names, cluster, false);
    }
    return admitted(principal, names, cluster, exchange.route(), sharing);
  }

  private ClusterView admitted(
      Principal principal, Names names, ClusterView named, Route route, boolean statusIsOpen) {
    var cluster = clusterOf(principal, names);
    if (principal.key() != null && !cluster.id().equals(named.id())) {
      throw Refusals.keyMismatch();
    }
    if (!cluster.id().equals(named.id())) {
      refuseByStatus(cluster, route);
      refuseByRoute(cluster, route);
    } else if (statusIsOpen) {
      refuseByStatus(cluster, route);
    }
    authorize(principal, route.routeClass());
    if (principal.key() != null) {
      usedKeys.note(principal.key().id());
      // The host's view is the one that the change feed keeps fresh by its slug.
      return named;
    }
    return cluster;
  }

  private static ClusterView clusterOf(Principal principal, Names names) {
    if (principal.session() != null) {
      return principal.session().cluster();
    }
    return names.clusterById(principal.key().clusterId()).orElseThrow(Refusals::unauthorized);
  }

  private static Principal authenticate(
      Exchange exchange, Names names, ClusterView cluster, boolean shared) {
    return switch (Credential.of(exchange.headers(), exchange.method(), exchange.isApi())) {
      case Credential.ApiKey key -> {
        var view = names.keyByHash(key.hash()).orElseThrow(Refusals::unauthorized);
        if (exchange.headers().contains(ACT_CLUSTER)) {
          throw Refusals.keyCantAct();
        }
        yield new Principal(view, null);
      }
      case Credential.Session session -> {
        var view =
            names.session(
                new SessionQuestion(
                    session.token(),
                    cluster == null ? null : cluster.id(),
                    exchange.headers().get(ACT_CLUSTER),
                    shared));
        if (view.refusal() != null) {
          throw view.refusal();
        }
        yield new Principal(null, view);
      }
      case Credential.None none -> throw Refusals.unauthorized();
    };
  }

  /** Any live credential will do. */
  private static void authenticateAnywhere(Exchange exchange, Names names) {
    try {
      authenticate(exchange, names, null, false);
    } catch (HttpProblem e) {
      // A session that names no cluster is refused, but it is a session.
      if (e.status() == Refusals.unauthorized().status()
          || exchange.headers().contains(ACT_CLUSTER)) {
        throw e;
      }
    }
  }

  private void refuseByStatus(ClusterView cluster, Route route) {
    if (cluster.status() == ClusterStatus.SUSPENDED) {
      throw Refusals.clusterSuspended();
    }
    if (route.grows() && !route.mayOnlyShrink()) {
      var block = pushBlock(cluster);
      if (block != null) {
        throw block;
      }
    }
  }

  private void refuseByRoute(ClusterView cluster, Route route) {
    boolean closed =
        route.routeClass() == RouteClass.BLOCKED
            || (route.routeClass() == RouteClass.OPERATOR && !policy.operatorEnabled());
    if (closed) {
      throw Refusals.routeBlocked();
    }
    var feature = route.feature();
    if (feature != null && !cluster.features().contains(feature)) {
      throw Refusals.featureGated(feature.wireName());
    }
  }

  private static void authorize(Principal principal, RouteClass routeClass) {
    var session = principal.session();
    if (routeClass == RouteClass.OPERATOR) {
      if (session == null || !session.operator()) {
        throw Refusals.routeBlocked();
      }
      return;
    }
    boolean allowed =
        session == null
            ? routeClass.allows(principal.key().scopes())
            : routeClass.allows(session.role());
    if (!allowed) {
      throw Refusals.forbidden(
          session == null ? neededScope(routeClass) : "a role that may do it on this cluster");
    }
  }

  private static String neededScope(RouteClass routeClass) {
    return switch (routeClass) {
      case PRODUCE -> "the scope produce";
      case CONSUME -> "the scope consume";
      case QUEUE_ADMIN -> "the scope admin";
      case READ -> "the scope read or admin";
      default -> "the scope produce or consume";
    };
  }
}
