package dev.queencell.proxy.edge;

import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether soft limits refuse or are only noted. The operator's word in the tenant state goes before
 * this proxy's own setting, takes effect at once, and holds while the tenant state is away.
 *
 * <p>Thread-safe.
 */
public final class Enforcement {
  private static final Logger LOG = LoggerFactory.getLogger(Enforcement.class);

  private final boolean configured;
  private volatile boolean on;

  public Enforcement(boolean configured) {
    this.configured = configured;
    this.on = configured;
  }

  public boolean isOn() {
    return on;
  }

  /** What the tenant state says; nothing leaves it to the setting. */
  public void decided(Optional<Boolean> enforce) {
    boolean wanted = enforce.orElse(configured);
    if (wanted != on) {
      on = wanted;
      LOG.info("limits are {} from now on", wanted ? "enforced" : "only noted");
    }
  }
}
