package dev.queencell.proxy.directory;

import dev.queencell.service.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import tools.jackson.databind.node.ObjectNode;

/**
 * A session and where it wants to act.
 *
 * @param clusterId what the host names, or null
 * @param actCluster what the header names, or null
 * @param shared whether the host serves every cluster
 */
public record SessionQuestion(String token, String clusterId, String actCluster, boolean shared) {
  @Override
  public String toString() {
    return "SessionQuestion[" + clusterId + "]";
  }

  /** What an answer is kept under: the token itself is kept nowhere. */
  String hash() {
    var text =
        String.join(
            "\n",
            token,
            Objects.requireNonNullElse(clusterId, ""),
            Objects.requireNonNullElse(actCluster, ""),
            Boolean.toString(shared));
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  ObjectNode body() {
    return Json.object()
        .put("token", token)
        .put("cluster", clusterId)
        .put("act_cluster", actCluster)
        .put("shared", shared);
  }
}
