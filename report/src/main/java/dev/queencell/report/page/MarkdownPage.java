package dev.queencell.report.page;

import dev.queencell.report.figure.Figure;
import dev.queencell.report.figure.Group;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The report as text for a pull request: verdict, tables, and the pictures of the figures where
 * they were made. Characters that Markdown or HTML would read are escaped.
 */
public final class MarkdownPage {
  private static final String SPECIAL = "\\`*_{}[]<>()#|&~!$@";

  private MarkdownPage() {}

  /**
   * Writes it.
   *
   * @param pictures by figure id, as paths that hold beside the text; may be empty
   */
  public static String render(Report report, Map<String, Path> pictures) {
    var points = report.points();
    var findings = report.findings();
    var text = new StringBuilder();
    text.append("## ").append(escaped(report.title())).append("\n\n");
    text.append("**").append(escaped(findings.headline())).append("**\n\n");
    for (var note : findings.notes()) {
      text.append("- ").append(escaped(note.point())).append(": ");
      text.append(escaped(note.text())).append('\n');
    }
    if (!findings.notes().isEmpty()) {
      text.append('\n');
    }
    table(text, Tables.points(points));
    table(text, Tables.costs(points));
    for (var ladder : report.ladders()) {
      if (ladder.isJudged()) {
        section(text, ladder.title(), ladder.ceiling(), Tables.ladder(ladder));
      }
    }
    for (var comparison : report.comparisons()) {
      var compared = Compared.of(comparison);
      section(text, compared.title(), compared.text(), compared.table());
    }
    report.groups().forEach(group -> figures(text, group, pictures));
    for (var budget : BudgetTables.of(points)) {
      text.append("### The budget: ").append(escaped(budget.title())).append("\n\n");
      table(text, budget.memory());
      table(text, budget.postgres());
    }
    text.append("<details><summary>Identity</summary>\n\n");
    table(text, Identity.of(points));
    text.append("</details>\n");
    return text.toString();
  }

  private static void section(StringBuilder text, String title, String words, Table table) {
    text.append("### ").append(escaped(title)).append("\n\n");
    if (!words.isEmpty()) {
      text.append(escaped(words)).append("\n\n");
    }
    table(text, table);
  }

  private static void figures(StringBuilder text, Group group, Map<String, Path> pictures) {
    List<Figure> drawn =
        group.figures().stream().filter(figure -> pictures.containsKey(figure.id())).toList();
    if (drawn.isEmpty()) {
      return;
    }
    text.append("### ").append(escaped(group.title())).append("\n\n");
    for (var figure : drawn) {
      text.append("![").append(escaped((figure.title() + " " + figure.subject()).strip()));
      text.append("](").append(pictures.get(figure.id())).append(")\n");
    }
    text.append('\n');
  }

  private static void table(StringBuilder text, Table table) {
    if (table.isEmpty()) {
      return;
    }
    var columns = table.columns();
    text.append(line(columns.stream().map(Table.Column::name).toList()));
    text.append(
        columns.stream()
            .map(column -> column.number() ? "---:" : "---")
            .collect(Collectors.joining(" | ", "| ", " |\n")));
    for (var row : table.rows()) {
      text.append(line(row.cells().stream().map(Table.Cell::text).toList()));
    }
    text.append('\n');
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(MarkdownPage::escaped)
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  static String escaped(String plain) {
    var text = new StringBuilder();
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      if (c == '<') {
        text.append("&lt;");
      } else if (c == '&') {
        text.append("&amp;");
      } else if (Character.isISOControl(c)) {
        text.append(' ');
      } else {
        if (SPECIAL.indexOf(c) >= 0) {
          text.append('\\');
        }
        text.append(c);
      }
    }
    return text.toString();
  }
}
