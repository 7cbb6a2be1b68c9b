package dev.queencell.proxy.edge;

import java.io.Serial;

/** There is nobody left to answer to, or no way to answer: the connection must end. */
final class ClientGoneException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  ClientGoneException(Throwable cause) {
    super(cause.toString(), null, false, false);
  }
}
