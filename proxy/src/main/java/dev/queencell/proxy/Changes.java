package dev.queencell.proxy;

import dev.queencell.proxy.directory.ChangeFollower;
import dev.queencell.proxy.directory.Snapshot;
import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateService;
import dev.queencell.proxy.edge.EdgeApi;
import dev.queencell.proxy.edge.Enforcement;
import dev.queencell.proxy.limit.CellUse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes on what the tenant state says has changed to all who keep something of it. */
final class Changes implements ChangeFollower.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Changes.class);

  private final StateService state;
  private final CellUse cell;
  private final Snapshot snapshot;
  private final Enforcement enforcement;
  private volatile EdgeApi tenants;

  Changes(StateService state, CellUse cell, Snapshot snapshot, Enforcement enforcement) {
    this.state = state;
    this.cell = cell;
    this.snapshot = snapshot;
    this.enforcement = enforcement;
  }

  /** From now on the listener is there. */
  void tell(EdgeApi started) {
    tenants = started;
  }

  @Override
  public void changed(String kind, String clusterId) {
    if (kind.equals("settings") || kind.equals(ALL)) {
      readSettings();
    }
    if (kind.equals("cluster")) {
      cell.clusterChanged(clusterId);
    }
    snapshot.touch();
    var told = tenants;
    if (told != null && !kind.equals("settings")) {
      told.changed(clusterId);
    }
  }

  private void readSettings() {
    try {
      enforcement.decided(state.enforce());
    } catch (StateAwayException e) {
      LOG.warn("the settings are not known: {}", e.getMessage());
    }
  }
}
