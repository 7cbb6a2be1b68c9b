package dev.queencell.client;

import tools.jackson.core.JacksonException;

/** Makes the exception for an answer that breaks the contract. */
final class BadAnswer {
  private BadAnswer() {}

  static QueenTransportException of(String request, String what) {
    return of(request, new IllegalStateException(what));
  }

  static QueenTransportException of(String request, JacksonException cause) {
    return of(request, new IllegalStateException(cause.getOriginalMessage()));
  }

  private static QueenTransportException of(String request, IllegalStateException cause) {
    return new QueenTransportException(request, QueenTransportException.Failure.BAD_ANSWER, cause);
  }
}
