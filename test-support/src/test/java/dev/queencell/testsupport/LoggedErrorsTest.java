package dev.queencell.testsupport;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LoggedErrorsTest {
  private static final Logger LOG = LoggerFactory.getLogger("a.service");

  private final LoggedErrors errors = LoggedErrors.failTheTest();

  @Test
  void anErrorFailsTheTestAndIsTold() {
    errors.beforeEach(null);
    LOG.error("segment {} is damaged", 7, new IllegalStateException("bad checksum"));
    var failure = assertThrows(AssertionError.class, () -> errors.afterEach(null));
    assertEquals(
        "errors were logged:\n  a.service: segment 7 is damaged"
            + " (java.lang.IllegalStateException: bad checksum)",
        failure.getMessage());
  }

  @Test
  void anExpectedErrorAndAWarningDoNot() {
    errors.beforeEach(null);
    errors.expect("segment \\d+ is damaged");
    LOG.error("segment {} is damaged", 7);
    LOG.warn("slow");
    assertDoesNotThrow(() -> errors.afterEach(null));
  }

  @Test
  void whatIsExpectedOnceIsNotExpectedByTheNextTest() {
    errors.beforeEach(null);
    errors.expect("damaged");
    errors.afterEach(null);
    errors.beforeEach(null);
    LOG.error("damaged");
    assertThrows(AssertionError.class, () -> errors.afterEach(null));
  }
}
