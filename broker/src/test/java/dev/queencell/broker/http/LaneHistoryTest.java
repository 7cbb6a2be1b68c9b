package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.http.LaneHistory.Ack;
import dev.queencell.broker.http.LaneHistory.Delivered;
import dev.queencell.broker.http.LaneHistory.Pop;
import dev.queencell.broker.http.LaneHistory.Push;
import dev.queencell.broker.http.LaneHistory.Renewal;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The judge is judged: a right history passes, and each kind of wrong one is found. */
class LaneHistoryTest {
  private static final long LEASE = 100;

  private final LaneHistory history = new LaneHistory();

  private void push(String id, String status, String messageId, long start, long end) {
    history.add(new Push("p", id, status, messageId, start, end));
  }

  private void pop(String lease, long from, long to, long start, long end) {
    var messages =
        LongStream.rangeClosed(from, to).mapToObj(o -> new Delivered("t" + o, o)).toList();
    history.add(new Pop("g", "p", lease, LEASE, messages, start, end));
  }

  private void ack(String lease, long upTo, boolean released, long start, long end) {
    history.add(new Ack("g", "p", lease, upTo, true, released, start, end));
  }

  private void mustBeFound(String words) {
    var found = history.violations();
    assertTrue(found.stream().anyMatch(text -> text.contains(words)), found.toString());
  }

  @Test
  void aHistoryWithoutFaultPasses() {
    push("t0", "queued", "m0", 0, 1);
    push("t1", "queued", "m1", 2, 3);
    push("t1", "duplicate", "m1", 4, 5);
    pop("a", 0, 0, 10, 11);
    ack("a", 0, true, 12, 13);
    pop("b", 1, 1, 14, 15);
    // Its lease has run out, so that it comes again.
    pop("c", 1, 1, 14 + LEASE + 2, 14 + LEASE + 3);
    assertEquals(List.of(), history.violations());
    assertEquals(List.of(), history.undelivered("g"));
  }

  @Test
  void anOperationOfUnknownOutcomeExplainsEitherAnswer() {
    push("t0", "queued", "m0", 0, 1);
    pop("a", 0, 0, 10, 11);
    history.add(new Ack("g", "p", "a", 0, null, true, 12, 13));
    pop("b", 0, 0, 14, 15);
    assertEquals(List.of(), history.violations());
  }

  @Test
  void twoStoredCopiesAreFound() {
    push("t0", "queued", "m0", 0, 1);
    push("t0", "queued", "m1", 2, 3);
    mustBeFound("queued twice");
    mustBeFound("has the ids");
  }

  @Test
  void aMessageBeforeItsElderIsFound() {
    push("t1", "queued", "m1", 0, 1);
    push("t0", "queued", "m0", 2, 3);
    pop("a", 0, 1, 10, 11);
    mustBeFound("stands before");
  }

  @Test
  void aSkippedMessageIsFound() {
    pop("a", 0, 0, 10, 11);
    ack("a", 0, true, 12, 13);
    pop("b", 2, 2, 14, 15);
    pop("c", 1, 1, 14 + LEASE + 5, 14 + LEASE + 6);
    mustBeFound("offset 1 was skipped");
  }

  @Test
  void aHoleInTheOffsetsIsFound() {
    pop("a", 0, 0, 10, 11);
    ack("a", 0, true, 12, 13);
    pop("b", 2, 2, 14, 15);
    mustBeFound("has no offset 1");
  }

  @Test
  void twoHoldersAtOnceAreFound() {
    pop("a", 0, 0, 10, 11);
    pop("b", 0, 0, 20, 21);
    mustBeFound("held the lane");
  }

  @Test
  void aRenewedLeaseHoldsOn() {
    pop("a", 0, 0, 10, 11);
    history.add(new Renewal("a", LEASE, 100, 101));
    pop("b", 0, 0, 150, 151);
    mustBeFound("held the lane");
  }

  @Test
  void aDeliveryAfterItsAcknowledgementIsFound() {
    pop("a", 0, 0, 10, 11);
    ack("a", 0, true, 12, 13);
    pop("b", 0, 0, 14, 15);
    mustBeFound("came again after");
  }

  @Test
  void anAcknowledgementUnderAFollowedLeaseIsFound() {
    pop("a", 0, 0, 10, 11);
    pop("b", 0, 0, 200, 201);
    ack("a", 0, true, 210, 211);
    mustBeFound("has followed it");
  }

  @Test
  void anAcknowledgementLongAfterItsLeaseIsFound() {
    pop("a", 0, 0, 10, 11);
    long late = 200 + LaneHistory.LEASE_SLACK_NANOS;
    ack("a", 0, true, late, late + 1);
    mustBeFound("succeeded after its lease");
  }

  @Test
  void aSecondDeliveryOfWhatWasAcknowledgedAtOnceIsFound() {
    pop("", 0, 0, 10, 11);
    pop("", 0, 0, 20, 21);
    mustBeFound("came twice");
  }

  @Test
  void aMessageOfARolledBackTransactionIsFound() {
    history.addRolledBack("t0");
    pop("a", 0, 0, 10, 11);
    mustBeFound("rolled back");
  }

  @Test
  void whatNeverCameIsFound() {
    push("t0", "queued", "m0", 0, 1);
    assertEquals(List.of("t0"), history.undelivered("g"));
  }
}
