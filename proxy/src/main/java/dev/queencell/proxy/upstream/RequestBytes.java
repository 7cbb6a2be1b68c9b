package dev.queencell.proxy.upstream;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A request to a broker as it goes over the network. A character that has no place in a head is
 * sent as a question mark, so that no value can end its line.
 *
 * <p>Not thread-safe; one use.
 */
public final class RequestBytes {
  private static final int HEAD_BYTES = 512;

  private byte[] bytes;
  private int length;

  /**
   * @param body of the request, to make room for
   */
  public RequestBytes(String method, String pathAndQuery, String host, int port, byte[] body) {
    bytes = new byte[HEAD_BYTES + body.length];
    text(method);
    text(" ");
    text(pathAndQuery);
    text(" HTTP/1.1");
    endLine();
    text("Host: ");
    text(host);
    text(":");
    text(Integer.toString(port));
    endLine();
  }

  public void header(String name, String value) {
    text(name);
    text(": ");
    text(value == null ? "" : value);
    endLine();
  }

  /** Head and body; a body of nothing is announced where it would be missed. */
  public ByteBuffer end(byte[] body, boolean announce) {
    if (announce || body.length > 0) {
      header("Content-Length", Integer.toString(body.length));
    }
    endLine();
    ensure(body.length);
    System.arraycopy(body, 0, bytes, length, body.length);
    return ByteBuffer.wrap(bytes, 0, length + body.length);
  }

  private void endLine() {
    ensure(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
  }

  private void text(String text) {
    int end = text.length();
    ensure(end);
    for (int i = 0; i < end; i++) {
      char c = text.charAt(i);
      boolean plain = (c >= ' ' && c <= '~') || (c >= 0xa0 && c <= 0xff) || c == '\t';
      bytes[length++] = plain ? (byte) c : (byte) '?';
    }
  }

  private void ensure(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }
}
