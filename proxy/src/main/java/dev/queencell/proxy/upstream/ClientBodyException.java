package dev.queencell.proxy.upstream;

import java.io.IOException;
import java.io.Serial;

/** The client's body ended before its announced end, or its connection broke. */
public final class ClientBodyException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  ClientBodyException(IOException cause) {
    super(cause);
  }
}
