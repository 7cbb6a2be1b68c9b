package dev.queencell.state.control;

import dev.queencell.service.HttpProblem;

/** The control plane's refusals, each with its contract code. */
public final class Refusal {
  private Refusal() {}

  /** 400: the text names the field and what it takes. */
  public static HttpProblem invalid(String text) {
    return new HttpProblem(400, text, "invalid");
  }

  public static HttpProblem conflict(String text) {
    return new HttpProblem(409, text, "conflict");
  }

  public static HttpProblem deleting(String text) {
    return new HttpProblem(409, text, "deleting");
  }

  public static HttpProblem clusterUnknown(String reference) {
    return new HttpProblem(404, "no cluster " + reference, "cluster_unknown");
  }

  public static HttpProblem tenantUnknown(String slug) {
    return new HttpProblem(404, "no tenant " + slug, "tenant_unknown");
  }

  public static HttpProblem keyUnknown(String id) {
    return new HttpProblem(404, "no key " + id, "key_unknown");
  }
}
