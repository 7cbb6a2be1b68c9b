package dev.queencell.broker.http;

import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.PopResult;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Slice;
import dev.queencell.service.Json;

/**
 * Writes the answer of a pop from the frames of its segments. What all messages of a claim share is
 * written once and copied; payloads are copied from their segment, byte for byte.
 */
final class PopAnswer {
  private static final byte[] HEAD = JsonOut.ascii("{\"success\":true,\"queue\":");
  private static final byte[] PARTITION = JsonOut.ascii(",\"partition\":");
  private static final byte[] PARTITION_ID = JsonOut.ascii(",\"partitionId\":");
  private static final byte[] LEASE_ID = JsonOut.ascii(",\"leaseId\":");
  private static final byte[] GROUP = JsonOut.ascii(",\"consumerGroup\":");
  private static final byte[] CLAIMED = JsonOut.ascii(",\"partitionsClaimed\":");
  private static final byte[] MESSAGES = JsonOut.ascii(",\"messages\":[");
  private static final byte[] CONFLATION = JsonOut.ascii(",\"conflation\":true");
  private static final byte[] CONFLICT = JsonOut.ascii(",\"conflationConflict\":true");
  private static final byte[] AUTOPILOT = JsonOut.ascii(",\"autopilot\":{");
  private static final byte[] CHOSEN_PARTITIONS = JsonOut.ascii("\"partitions\":");
  private static final byte[] CHOSEN_BATCH = JsonOut.ascii("\"batch\":");
  private static final byte[] CHOSEN_WAIT = JsonOut.ascii("\"waitMs\":");
  private static final byte[] COMMA = JsonOut.ascii(",");
  private static final byte[] ID = JsonOut.ascii("{\"id\":\"");
  private static final byte[] TRANSACTION_ID = JsonOut.ascii("\",\"transactionId\":");
  private static final byte[] TRACE_ID = JsonOut.ascii(",\"traceId\":");
  private static final byte[] DATA = JsonOut.ascii(",\"data\":");
  private static final byte[] PRODUCER = JsonOut.ascii(",\"producerSub\":");
  private static final byte[] CREATED_AT = JsonOut.ascii(",\"createdAt\":");
  private static final byte[] ATTEMPT = JsonOut.ascii(",\"deliveryAttempt\":");
  private static final byte[] OFFSET = JsonOut.ascii(",\"offset\":");
  private static final byte[] NO_LEASE = JsonOut.ascii("\"\"");
  private static final int UUID_CHARS = 36;

  /** Keys, ids and names of one message beside its frame; a first guess of the buffer's size. */
  private static final int MESSAGE_OVERHEAD_BYTES = 420;

  /**
   * What autopilot chose without the engine; 0: it did not choose that.
   *
   * @param batch messages wanted
   * @param waitMs how long the pop may wait
   */
  record Chosen(int batch, long waitMs) {
    static final Chosen NOTHING = new Chosen(0, 0);
  }

  private final JsonOut out;
  private final PopResult result;
  private final String group;
  private final PayloadCipher cipher;

  private PopAnswer(PopResult result, String group, PayloadCipher cipher) {
    this.result = result;
    this.group = group;
    this.cipher = cipher;
    this.out = new JsonOut(expectedBytes(result));
  }

  /**
   * Writes an answer.
   *
   * @param result with at least one claim
   * @param queue as in the path; empty for a discovery pop
   * @param chosen by autopilot, beside the partitions
   */
  static JsonOut write(
      PopResult result, String queue, String group, Chosen chosen, PayloadCipher cipher) {
    return new PopAnswer(result, group, cipher).document(queue, chosen);
  }

  /** The answer without messages where the group's policy has something to say. */
  static byte[] empty(PopResult.Policy policy, String queue, String group) {
    var answer =
        Json.object()
            .put("success", true)
            .put("queue", queue)
            .put("partition", "")
            .put("partitionId", "")
            .put("leaseId", "")
            .put("consumerGroup", group)
            .put("partitionsClaimed", 0);
    answer.putArray("messages");
    if (policy.conflation()) {
      answer.put("conflation", true);
    }
    return Json.bytes(policy.conflict() ? answer.put("conflationConflict", true) : answer);
  }

  private JsonOut document(String queue, Chosen chosen) {
    var first = result.claims().getFirst();
    out.raw(HEAD).string(queue);
    out.raw(PARTITION).string(first.partition());
    out.raw(PARTITION_ID).uuid(first.partitionId());
    lease(out);
    out.raw(GROUP).string(group);
    out.raw(CLAIMED).number(result.claims().size());
    out.raw(MESSAGES);
    var shared = new JsonOut(512);
    for (var claim : result.claims()) {
      shared.clear();
      shared.raw(PARTITION_ID).uuid(claim.partitionId());
      shared.raw(PARTITION).string(claim.partition());
      lease(shared);
      shared.raw(GROUP).string(group);
      shared.raw(ATTEMPT).number(claim.deliveryAttempt()).raw(OFFSET);
      for (var run : claim.runs()) {
        run(run, shared);
      }
    }
    out.raw(']');
    policy();
    autopilot(chosen);
    return out.raw('}');
  }

  private void policy() {
    if (result.policy().conflation()) {
      out.raw(CONFLATION);
    }
    if (result.policy().conflict()) {
      out.raw(CONFLICT);
    }
  }

  /** A conflating group decides for itself. */
  private void autopilot(Chosen chosen) {
    if (result.policy().conflation()) {
      return;
    }
    int start = out.size();
    chosen(start, CHOSEN_PARTITIONS, result.width());
    chosen(start, CHOSEN_BATCH, chosen.batch());
    chosen(start, CHOSEN_WAIT, chosen.waitMs());
    if (out.size() > start) {
      out.raw('}');
    }
  }

  private void chosen(int start, byte[] name, long value) {
    if (value > 0) {
      out.raw(out.size() == start ? AUTOPILOT : COMMA).raw(name).number(value);
    }
  }

  private void run(PopResult.Run run, JsonOut shared) {
    var time = new JsonOut(48);
    time.raw(CREATED_AT).time(run.createdAtMicros()).raw(shared);
    var frames = new Frames.Reader(run.frames());
    frames.skip(run.skip());
    for (int i = 0; i < run.count(); i++) {
      if (!frames.next()) {
        throw new IllegalStateException(
            "a segment ends after %d of %d messages".formatted(i, run.count()));
      }
      if (out.buffer()[out.size() - 1] == '}') {
        out.raw(',');
      }
      message(frames);
      out.raw(time).number(run.firstOffset() + i).raw('}');
    }
  }

  private void message(Frames.Reader frame) {
    out.raw(ID);
    int idAt = out.size();
    out.uuid(frame.idHigh(), frame.idLow()).raw(TRANSACTION_ID);
    if (frame.transactionIsId()) {
      out.raw('"').again(idAt, UUID_CHARS).raw('"');
    } else {
      out.string(frame.transactionId());
    }
    out.raw(TRACE_ID).uuid(frame.traceId());
    out.raw(DATA);
    var opened = cipher.open(frame.array(), frame.payloadOffset(), frame.payloadLength());
    if (opened == null) {
      out.raw(frame.array(), frame.payloadOffset(), frame.payloadLength());
    } else {
      out.raw(opened);
    }
    Slice producer = frame.producer();
    out.raw(PRODUCER).string(producer);
  }

  private void lease(JsonOut to) {
    to.raw(LEASE_ID);
    if (result.leaseId() == null) {
      to.raw(NO_LEASE);
    } else {
      to.uuid(result.leaseId());
    }
  }

  private static int expectedBytes(PopResult result) {
    long bytes = 512;
    for (var claim : result.claims()) {
      for (var run : claim.runs()) {
        // A part of a segment is guessed by its share of the messages.
        long part =
            (long) run.frames().length * run.count() / Math.max(1, run.skip() + run.count());
        bytes += part + (long) run.count() * MESSAGE_OVERHEAD_BYTES;
      }
    }
    return (int) Math.min(bytes, Integer.MAX_VALUE / 2);
  }
}
