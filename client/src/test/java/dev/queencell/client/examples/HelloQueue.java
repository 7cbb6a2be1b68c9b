package dev.queencell.client.examples;

import dev.queencell.client.Caller;
import dev.queencell.client.Consumption;
import dev.queencell.client.PopRequest;
import dev.queencell.client.PushBatch;
import dev.queencell.client.QueenTransport;
import dev.queencell.client.QueueOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * Pushes three messages to one lane and consumes them in order. Takes the broker's URL, such as
 * {@code http://127.0.0.1:6632}.
 */
public final class HelloQueue {
  private static final String QUEUE = "hello";
  private static final int MESSAGES = 3;

  private HelloQueue() {}

  public static void main(String[] args) throws InterruptedException {
    run(URI.create(args.length > 0 ? args[0] : "http://127.0.0.1:6632"), Caller.ANONYMOUS);
  }

  /** Runs the example as the given caller. */
  public static void run(URI url, Caller caller) throws InterruptedException {
    try (var transport = new QueenTransport(url)) {
      var queen = transport.client(caller);
      queen.configure(QUEUE, QueueOptions.UNCHANGED.leaseSeconds(30));

      var batch = new PushBatch();
      for (int i = 1; i <= MESSAGES; i++) {
        batch.add(
            QUEUE, "customer-7", ("{\"greeting\":" + i + "}").getBytes(StandardCharsets.UTF_8));
      }
      System.out.println("pushed: " + queen.push(batch).items());

      var left = new CountDownLatch(MESSAGES);
      var pop =
          PopRequest.fromQueue(QUEUE).group("readers").subscriptionMode("all").waitUpTo(5_000);
      try (var _ =
          queen.consume(
              Consumption.Settings.of(pop, 30),
              messages -> {
                for (var message : messages) {
                  var text = new String(message.payload(), StandardCharsets.UTF_8);
                  System.out.println("consumed from " + message.partition() + ": " + text);
                  left.countDown();
                }
              })) {
        left.await();
      }
    }
  }
}
