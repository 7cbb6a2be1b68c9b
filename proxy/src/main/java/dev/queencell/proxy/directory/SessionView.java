package dev.queencell.proxy.directory;

import dev.queencell.proxy.route.Role;
import dev.queencell.service.HttpProblem;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import tools.jackson.databind.JsonNode;

/**
 * What a person's session may do, or why it may not.
 *
 * @param role on {@code cluster}; null on a refusal and for a word that this build doesn't know
 * @param refusal null when there is none
 */
public record SessionView(
    String jti,
    Role role,
    boolean operator,
    Instant expiresAt,
    ClusterView cluster,
    HttpProblem refusal) {

  static SessionView of(JsonNode view) {
    return new SessionView(
        view.path("jti").asString(""),
        Role.of(view.path("role").asString("")),
        view.path("operator").asBoolean(false),
        instant(view.path("expires_at").asString("")),
        ClusterView.of(view.get("cluster")),
        null);
  }

  static SessionView refused(int status, JsonNode answer) {
    var problem =
        new HttpProblem(
            status, answer.path("error").asString("refused"), answer.path("code").asString(null));
    return new SessionView("", null, false, Instant.MAX, null, problem);
  }

  private static Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }
}
