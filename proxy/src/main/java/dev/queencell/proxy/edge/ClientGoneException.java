package dev.queencell.proxy.edge;

import java.io.Serial;

/** There is nobody left to answer to. */
final class ClientGoneException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  ClientGoneException(Throwable cause) {
    super(cause.toString(), null, false, false);
  }
}
