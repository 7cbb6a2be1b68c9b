package dev.queencell.broker;

import dev.queencell.broker.journal.CommitHold;
import java.nio.file.Path;

/** The broker as it is, but that its commits stop where {@link CommitHold} is told to. */
final class HeldBroker {
  private HeldBroker() {}

  public static void main(String[] directory) throws InterruptedException {
    BrokerMain.run(new CommitHold(Path.of(directory[0])));
  }
}
