package dev.queencell.testsupport;

import java.util.concurrent.CountDownLatch;

/** A program that starts another one and then only lives. */
final class ParentOfAProcess {
  private ParentOfAProcess() {}

  public static void main(String[] args) throws InterruptedException {
    if (args.length == 0) {
      try (var child =
          JavaProcess.ofClass(ParentOfAProcess.class.getName()).argument("child").start()) {
        System.out.println("child " + child.pid());
        new CountDownLatch(1).await();
      }
    }
    new CountDownLatch(1).await();
  }
}
