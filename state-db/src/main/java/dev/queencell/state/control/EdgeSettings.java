package dev.queencell.state.control;

import dev.queencell.service.Json;
import dev.queencell.state.store.Statements;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all proxies go by and can be changed while they run. Thread-safe. */
public final class EdgeSettings {
  private static final Statements SQL = Statements.of("edge");
  private static final String LOCK = SQL.named("lock_settings");
  private static final String SET = SQL.named("set_enforce");

  private static final Logger LOG = LoggerFactory.getLogger(EdgeSettings.class);

  private final Ledger ledger;

  public EdgeSettings(Ledger ledger) {
    this.ledger = ledger;
  }

  /**
   * Switches between enforcing limits and only counting what would be refused.
   *
   * @param enforce empty leaves it to each proxy's own setting
   */
  public void setEnforce(Optional<Boolean> enforce) {
    boolean changed =
        ledger.write(
            mutation -> {
              var was = mutation.tx().one(LOCK, row -> row.flagIfSet("enforce")).orElseThrow();
              if (Objects.equals(was, enforce)) {
                return false;
              }
              mutation.tx().change(SET, enforce.orElse(null));
              mutation.audit(
                  null,
                  null,
                  "enforce_set",
                  "edge",
                  Json.object().put("from", was.orElse(null)).put("to", enforce.orElse(null)));
              mutation.settingsChanged();
              return true;
            });
    if (changed) {
      LOG.info(
          "limits are now {}",
          enforce.map(on -> on ? "enforced" : "shadowed").orElse("up to each proxy"));
    }
  }
}
