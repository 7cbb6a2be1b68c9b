package dev.queencell.cell.sql;

import dev.queencell.cell.postgres.ConnectionOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code sql}: runs statements from the command line or from standard input, each on its own. At a
 * terminal it prompts and goes on after an error; otherwise the first error ends it.
 */
@Command(
    name = "sql",
    description = "Runs SQL and prints the result; a small stand-in for psql.",
    mixinStandardHelpOptions = true)
public final class SqlCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Mixin private ConnectionOptions connection;

  @ArgGroup private Format format = new Format();

  @Parameters(
      arity = "0..*",
      paramLabel = "STATEMENT",
      description = "what to run; without any, statements are read from standard input")
  private List<String> statements = List.of();

  /** At most one of them; neither gives an aligned table. */
  private static final class Format {
    @Option(names = "--csv", description = "comma-separated values with a header")
    private boolean csv;

    @Option(names = "--json", description = "an array of objects, one result each line")
    private boolean json;

    @Option(names = "--values", description = "bare values, tab-separated, no header")
    private boolean values;
  }

  @Override
  public void run() {
    try (var connected = connection.connect()) {
      if (statements.isEmpty()) {
        readStatements(connected);
      } else {
        var splitter = new StatementSplitter();
        for (var text : statements) {
          for (var statement : splitter.add(text + ";")) {
            execute(connected, statement);
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } catch (IOException e) {
      throw new IllegalStateException("can't read standard input: " + e, e);
    }
  }

  private void readStatements(Connection connected) throws SQLException, IOException {
    boolean atTerminal = isAtTerminal();
    var splitter = new StatementSplitter();
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    prompt(atTerminal, splitter);
    for (String line; (line = in.readLine()) != null; ) {
      if (!splitter.isInside() && line.strip().equals("\\q")) {
        return;
      }
      for (var statement : splitter.add(line + "\n")) {
        executeOrTell(connected, statement, atTerminal);
      }
      prompt(atTerminal, splitter);
    }
    for (var statement : splitter.end()) {
      executeOrTell(connected, statement, atTerminal);
    }
  }

  @SuppressWarnings("SystemConsoleNull") // since 25 it is null again without a terminal
  private static boolean isAtTerminal() {
    var console = System.console();
    return console != null && console.isTerminal();
  }

  private void prompt(boolean atTerminal, StatementSplitter splitter) {
    if (atTerminal) {
      out().print(connection.database() + (splitter.isInside() ? "-> " : "=> "));
      out().flush();
    }
  }

  private void executeOrTell(Connection connected, String statement, boolean goOn)
      throws SQLException {
    try {
      execute(connected, statement);
    } catch (SQLException e) {
      if (!goOn || !connected.isValid(1)) {
        throw e;
      }
      out().println(e.getMessage());
    }
  }

  private void execute(Connection connected, String text) throws SQLException {
    try (var statement = connected.createStatement()) {
      boolean hasRows = statement.execute(text);
      if (!hasRows) {
        if (!format.csv && !format.json && !format.values) {
          out().printf("ok, %d rows%n", Math.max(0, statement.getUpdateCount()));
        }
        out().flush();
        return;
      }
      try (var rows = statement.getResultSet()) {
        if (format.csv) {
          ResultPrinter.csv(rows, out());
        } else if (format.json) {
          ResultPrinter.json(rows, out());
        } else if (format.values) {
          ResultPrinter.values(rows, out());
        } else {
          ResultPrinter.table(rows, out());
        }
      }
      out().flush();
    }
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
