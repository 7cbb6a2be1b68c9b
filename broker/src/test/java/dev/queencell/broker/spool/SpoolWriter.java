package dev.queencell.broker.spool;

import dev.queencell.broker.crypto.PayloadCipher;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** Appends until it is killed, and says of each record when it is kept. */
final class SpoolWriter {
  private SpoolWriter() {}

  @SuppressWarnings("SystemOut")
  public static void main(String[] arguments) {
    var spool =
        Spool.open(
            new SpoolConfig(Path.of(arguments[0]), 1L << 30, 100, 10, 10), PayloadCipher.NONE);
    for (int i = 0; spool.append(new UUID(0, 9), List.of(SpoolTest.item("m" + i))); i++) {
      System.out.println("kept m" + i);
    }
  }
}
