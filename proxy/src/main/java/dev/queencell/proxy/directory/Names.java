package dev.queencell.proxy.directory;

import java.util.Optional;

/** Clusters, keys and sessions by the names that requests carry. */
public interface Names {
  Optional<ClusterView> clusterBySlug(String slug);

  Optional<ClusterView> clusterById(String id);

  /**
   * A live key.
   *
   * @param hash lower-case hex SHA-256 of the whole key
   */
  Optional<KeyView> keyByHash(String hash);

  /** What a session may do, or why it may not. */
  SessionView session(SessionQuestion question);
}
