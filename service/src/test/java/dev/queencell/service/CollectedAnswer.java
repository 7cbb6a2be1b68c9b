package dev.queencell.service;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.jetty.http.HttpFields;

/**
 * What comes of one call of a {@link DirectClient}. One that holds asks for the next piece only by
 * hand.
 */
final class CollectedAnswer implements DirectClient.Receiver {
  final CompletableFuture<byte[]> outcome = new CompletableFuture<>();
  final BlockingQueue<Integer> pieces = new LinkedBlockingQueue<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final boolean holds;
  volatile int status;
  volatile HttpFields fields;
  volatile long announced;
  private int inPiece;
  DirectClient.Call call;

  CollectedAnswer(boolean holds) {
    this.holds = holds;
  }

  @Override
  public void begins(int code, HttpFields headers, long lengthBytes) {
    status = code;
    fields = headers;
    announced = lengthBytes;
  }

  @Override
  public void body(ByteBuffer bytes) {
    var copy = new byte[bytes.remaining()];
    bytes.get(copy);
    body.writeBytes(copy);
    inPiece += copy.length;
  }

  @Override
  public boolean more() {
    pieces.add(inPiece);
    inPiece = 0;
    return !holds;
  }

  @Override
  public void ends() {
    outcome.complete(body.toByteArray());
  }

  @Override
  public void fails(DirectClient.Failure failure) {
    outcome.completeExceptionally(new IOException(failure.name()));
  }

  @Override
  public void lasts() {}

  String text() throws Exception {
    return new String(outcome.get(), StandardCharsets.US_ASCII);
  }

  String failure() throws InterruptedException {
    try {
      outcome.get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause().getMessage();
    }
  }
}
