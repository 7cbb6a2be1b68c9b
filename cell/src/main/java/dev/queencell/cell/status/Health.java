package dev.queencell.cell.status;

/**
 * The answer of a process to the question whether it is well.
 *
 * @param detail what it said beyond yes, or why not; may be empty
 */
record Health(boolean isHealthy, String detail) {
  static Health well(String detail) {
    return new Health(true, detail);
  }

  static Health unwell(String detail) {
    return new Health(false, detail);
  }
}
