package dev.queencell.client;

import tools.jackson.core.JacksonException;

/**
 * The answer to a transaction.
 *
 * @param committed false when everything was rolled back
 * @param reason of a rollback, such as {@code duplicate} or {@code ack_rejected}; empty otherwise
 * @param error of a rollback, in words
 */
public record TransactionResult(boolean committed, String reason, String error) {
  static TransactionResult parse(byte[] body) {
    try {
      var node = HttpExchange.JSON.readTree(body);
      if (!node.path("success").isBoolean()) {
        throw BadAnswer.of("transaction", "expected a boolean under success");
      }
      return new TransactionResult(
          node.path("success").asBoolean(),
          node.path("reason").asString(""),
          node.path("error").asString(""));
    } catch (JacksonException e) {
      throw BadAnswer.of("transaction", e);
    }
  }
}
