package dev.queencell.report.figure;

import java.util.List;

/**
 * Figures of one subject, drawn beside each other over the same scales.
 *
 * @param text how to read them, in one or two sentences
 */
public record Group(String id, String title, String text, List<Figure> figures) {
  public Group {
    figures = List.copyOf(figures);
  }
}
