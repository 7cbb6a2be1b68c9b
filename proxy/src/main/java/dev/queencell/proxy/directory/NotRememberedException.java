package dev.queencell.proxy.directory;

import java.io.Serial;

/** The tenant state would have to be asked, by one who can't wait for it. */
public final class NotRememberedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /** One for all: it has neither a stack nor anything to say. */
  @SuppressWarnings("StaticAssignmentOfThrowable")
  static final NotRememberedException INSTANCE = new NotRememberedException();

  private NotRememberedException() {
    super("not remembered", null, false, false);
  }
}
