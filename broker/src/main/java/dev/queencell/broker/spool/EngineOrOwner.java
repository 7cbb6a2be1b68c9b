package dev.queencell.broker.spool;

import dev.queencell.broker.engine.Engine;
import dev.queencell.broker.engine.PushItem;
import dev.queencell.broker.engine.PushOutcome;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * Replays into this broker's engine while it owns the database, and over HTTP into the owner's
 * while this broker stands by: a deposed broker loses nothing that it has answered for.
 */
record EngineOrOwner(Engine engine, OwnerClient owner, BooleanSupplier paused)
    implements Replay.Destination {
  @Override
  public boolean open() {
    return switch (engine.role()) {
      case OWNER -> !paused.getAsBoolean();
      case STANDBY -> engine.ownerUrl() != null && !paused.getAsBoolean();
      case LOADING -> false;
    };
  }

  @Override
  public List<PushOutcome> push(UUID tenant, List<PushItem> items) {
    var url = engine.role() == Engine.Role.STANDBY ? engine.ownerUrl() : null;
    return url == null ? engine.push(tenant, items) : owner.push(url, tenant, items);
  }
}
