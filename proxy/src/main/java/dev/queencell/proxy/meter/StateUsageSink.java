package dev.queencell.proxy.meter;

import dev.queencell.proxy.directory.StateAwayException;
import dev.queencell.proxy.directory.StateClient;
import dev.queencell.service.Json;

/** Sends batches to the tenant state, which knows by their ids what it has added. Thread-safe. */
public final class StateUsageSink implements UsageSink {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int CONFLICT = 409;

  private final StateClient client;

  public StateUsageSink(StateClient client) {
    this.client = client;
  }

  @Override
  public Outcome send(UsageBatch batch) {
    var body = Json.object().put("batch_id", batch.id().toString());
    var rows = body.putArray("rows");
    for (var row : batch.rows()) {
      rows.addObject()
          .put("cluster_id", row.clusterId().toString())
          .put("minute", row.minute().toString())
          .put("op_class", row.usageClass().wireName())
          .put("reqs", row.requests())
          .put("msgs", row.messages())
          .put("bytes_in", row.bytesIn())
          .put("bytes_out", row.bytesOut());
    }
    try {
      var answer = client.send("POST", "/api/edge/usage", body);
      return switch (answer.status()) {
        case OK -> Outcome.TAKEN;
        case CONFLICT -> Outcome.REJECTED;
        case BAD_REQUEST ->
            // A clock that is ahead: later the minute is no longer too new.
            "too_new".equals(answer.json().path("code").asString(""))
                ? Outcome.AWAY
                : Outcome.REJECTED;
        default -> Outcome.AWAY;
      };
    } catch (StateAwayException e) {
      return Outcome.AWAY;
    }
  }
}
