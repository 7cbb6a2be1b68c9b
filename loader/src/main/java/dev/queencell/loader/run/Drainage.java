package dev.queencell.loader.run;

/** What a run still waits for once its load has ended. */
public interface Drainage {
  /** Messages that are owed, as a quick upper bound. */
  long open();

  /** Whether nothing is owed any more. */
  boolean drained();

  /** Called once, when no push is underway and the consumers are about to stop. */
  void close();

  /** The drainage of a run that accounts in its bench's ledger. */
  static Drainage of(Bench bench) {
    return new Drainage() {
      @Override
      public long open() {
        return bench.ledger().open();
      }

      @Override
      public boolean drained() {
        return bench.ledger().open() <= bench.judge().withheld()
            && bench.judge().drained(bench.ledger().undelivered());
      }

      @Override
      public void close() {
        bench.judge().close();
      }
    };
  }
}
