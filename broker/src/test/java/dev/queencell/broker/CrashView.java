package dev.queencell.broker;

import dev.queencell.broker.CrashClient.Request;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All that a queue shows, in a line: its messages, where its groups stand, its dead letters, its
 * option, and the messages of the queue that goes with it.
 */
record CrashView(
    boolean exists,
    List<String> messages,
    List<Place> places,
    int letters,
    String leaseTime,
    List<String> other) {

  /** Where a group stands; {@code lease} is empty without one. */
  record Place(String group, long committed, int retries, String lease) {
    @Override
    public String toString() {
      return (group.equals("__QUEUE_MODE__") ? "" : group)
          + "@"
          + committed
          + (lease.isEmpty() ? "" : " " + lease)
          + (retries == 0 ? "" : " retries=" + retries);
    }
  }

  static CrashView of(Connection connection, CrashClient client, String queue, String other)
      throws SQLException {
    return new CrashView(
        client.send(Request.get("/api/v1/resources/queues/" + queue)).statusCode() == 200,
        client.stored(queue),
        places(connection, client, queue),
        client.json(Request.get("/api/v1/dlq?queue=" + queue)).get("messages").size(),
        leaseTime(connection, client, queue),
        other.isEmpty() ? List.of() : client.stored(other));
  }

  private static List<Place> places(Connection connection, CrashClient client, String queue)
      throws SQLException {
    try (var query =
        connection.prepareStatement(
            """
            SELECT g.name, c.committed, c.retries,
                   CASE WHEN c.lease_until > now() + interval '10000 s' THEN 'leased long'
                        WHEN c.lease_until > now() THEN 'leased' ELSE '' END
            FROM queen.cursors c JOIN queen.groups g ON g.id = c.group_id
            JOIN queen.queues q ON q.id = g.queue_id
            WHERE q.tenant = ? AND q.name = ? ORDER BY g.name
            """)) {
      query.setObject(1, client.tenant());
      query.setString(2, queue);
      var places = new ArrayList<Place>();
      try (var row = query.executeQuery()) {
        while (row.next()) {
          places.add(new Place(row.getString(1), row.getLong(2), row.getInt(3), row.getString(4)));
        }
      }
      return places;
    }
  }

  private static String leaseTime(Connection connection, CrashClient client, String queue)
      throws SQLException {
    try (var query =
        connection.prepareStatement(
            "SELECT options->>'leaseTime' FROM queen.queues WHERE tenant = ? AND name = ?")) {
      query.setObject(1, client.tenant());
      query.setString(2, queue);
      try (var row = query.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  /** What a group may be given from here on: all it has not committed, unless somebody has it. */
  List<String> deliverable(String group) {
    for (var place : places) {
      if (place.group().equals(group)) {
        return place.lease().isEmpty()
            ? messages.subList((int) place.committed() + 1, messages.size())
            : List.of();
      }
    }
    return messages;
  }

  @Override
  public String toString() {
    if (!exists) {
      return messages.isEmpty() && places.isEmpty() && letters == 0
          ? "gone"
          : "gone, but left " + messages + places + letters;
    }
    return messages
        + places.stream().map(place -> " " + place).collect(Collectors.joining())
        + (letters == 0 ? "" : " letters=" + letters)
        + (leaseTime == null || leaseTime.equals("60") ? "" : " leaseTime=" + leaseTime)
        + (other.isEmpty() ? "" : " other=" + other);
  }
}
