package dev.queencell.testsupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fails a test during which anything was logged at ERROR, unless the test said that it provokes it:
 *
 * <pre>{@code
 * @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();
 * }</pre>
 *
 * Sees what this JVM logs through Logback, on every thread; so use it where tests run one by one.
 */
public final class LoggedErrors implements BeforeEachCallback, AfterEachCallback {
  private static final int KEPT_MAX = 100;

  private final List<Pattern> expected = new CopyOnWriteArrayList<>();
  private final Queue<String> unexpected = new ConcurrentLinkedQueue<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          record(event);
        }
      };

  private LoggedErrors() {}

  public static LoggedErrors failTheTest() {
    return new LoggedErrors();
  }

  /** From here on, to the test's end, an error whose message matches is no failure. */
  public LoggedErrors expect(String messageRegex) {
    expected.add(Pattern.compile(messageRegex));
    return this;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    unexpected.clear();
    appender.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    appender.start();
    root().addAppender(appender);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    root().detachAppender(appender);
    appender.stop();
    expected.clear();
    if (!unexpected.isEmpty()) {
      throw new AssertionError("errors were logged:\n  " + String.join("\n  ", unexpected));
    }
  }

  private void record(ILoggingEvent event) {
    var message = event.getFormattedMessage();
    if (event.getLevel().isGreaterOrEqual(Level.ERROR)
        && unexpected.size() < KEPT_MAX
        && expected.stream().noneMatch(pattern -> pattern.matcher(message).find())) {
      var cause = event.getThrowableProxy();
      unexpected.add(
          "%s: %s%s"
              .formatted(
                  event.getLoggerName(),
                  message,
                  cause == null
                      ? ""
                      : " (" + cause.getClassName() + ": " + cause.getMessage() + ")"));
    }
  }

  private static ch.qos.logback.classic.Logger root() {
    return (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  }
}
