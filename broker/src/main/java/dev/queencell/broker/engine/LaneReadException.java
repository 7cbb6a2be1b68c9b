package dev.queencell.broker.engine;

import java.io.Serial;
import java.sql.SQLException;

/** A read on behalf of a lane failed; the term ends with it, like with a failed commit. */
final class LaneReadException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  LaneReadException(SQLException cause) {
    super(cause.getMessage(), cause);
  }
}
