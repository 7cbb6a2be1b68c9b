package dev.queencell.service;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Speaks HTTP by hand, byte by byte, to a server on this machine. */
final class RawClient implements AutoCloseable {
  private static final int QUIET_MS = 100;

  private final Socket socket;
  private final InputStream in;

  /** Whether the last answer said that the connection ends. */
  private boolean ending;

  RawClient(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = socket.getInputStream();
  }

  void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  String line() throws IOException {
    var line = new StringBuilder();
    for (int c = in.read(); c != '\n' && c >= 0; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  /** The next answer's body, of announced length. */
  String body() throws IOException {
    int length = 0;
    ending = false;
    for (var line = line(); !line.isEmpty(); line = line()) {
      if (line.regionMatches(true, 0, "content-length:", 0, 15)) {
        length = Integer.parseInt(line.substring(15).strip());
      }
      ending |= line.equalsIgnoreCase("Connection: close");
    }
    return new String(in.readNBytes(length), StandardCharsets.US_ASCII);
  }

  boolean isEnding() {
    return ending;
  }

  /** True when nothing comes for a while. */
  boolean isQuiet() throws IOException {
    socket.setSoTimeout(QUIET_MS);
    try {
      return in.read() < -1;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(0);
    }
  }

  /** True when the server has ended the connection; waits for something to come. */
  boolean isEnded() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
