package dev.queencell.state.control;

import dev.queencell.state.store.Statements;
import java.util.List;
import java.util.UUID;

/**
 * What happened that somebody outside should act on, such as a quota that was reached. Written with
 * the change itself; read and ticked off by whoever sends the mails. Thread-safe.
 */
public final class Outbox {
  /** One message; {@code payload} is a JSON object. */
  public record Message(UUID id, String kind, String payload, String createdAt) {}

  private static final int ROWS_MAX = 100;

  private static final Statements SQL = Statements.of("ledger");
  private static final String OPEN = SQL.named("open_messages");
  private static final String CONSUME = SQL.named("consume_message");

  private final Ledger ledger;

  public Outbox(Ledger ledger) {
    this.ledger = ledger;
  }

  /** The oldest messages that nobody has ticked off. */
  public List<Message> open() {
    return ledger.read(
        tx ->
            tx.list(
                OPEN,
                row ->
                    new Message(
                        row.uuid("id"),
                        row.text("kind"),
                        row.text("payload"),
                        row.text("created_at")),
                ROWS_MAX));
  }

  /** Ticks a message off; answers whether it was open. */
  public boolean consume(UUID id) {
    return ledger.write(mutation -> mutation.tx().change(CONSUME, id) > 0);
  }
}
