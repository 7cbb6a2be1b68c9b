package dev.queencell.testsupport;

import dev.queencell.cell.postgres.PostgresServer;
import java.util.concurrent.CountDownLatch;

/** A program that starts a server and then only lives: the orphan test kills it. */
final class PostgresOwner {
  private PostgresOwner() {}

  public static void main(String[] args) throws InterruptedException {
    try (var server = PostgresServer.disposable()) {
      if (args.length > 0 && args[0].equals("paused")) {
        server.pause();
      }
      System.out.println("postmaster " + server.pid() + " in " + server.folder());
      new CountDownLatch(1).await();
    }
  }
}
