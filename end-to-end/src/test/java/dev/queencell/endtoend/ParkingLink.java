package dev.queencell.endtoend;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * A link to a broker as the proxy holds one, with any number of pops parked on it that are asked
 * again as soon as they are answered. It speaks the frames itself, so that a pop the broker sends
 * elsewhere is seen and counted instead of being sent over HTTP. Thread-safe.
 */
final class ParkingLink implements AutoCloseable {
  private static final String PATH = "/link";
  private static final String PROTOCOL = "queencell-link-1";
  private static final byte REQUEST = 1;
  private static final byte MORE = 3;
  private static final byte ANSWER = 4;
  private static final byte PIECE = 5;
  private static final byte ELSEWHERE = 6;
  private static final byte ALIVE = 8;
  private static final int INTRODUCTION_BYTES = 5;
  private static final int NO_CONTENT = 204;
  private static final long BEAT_MS = 5_000;
  private static final int BUFFER_BYTES = 64 * 1024;

  /** Pops that ended without a message. */
  final LongAdder empty = new LongAdder();

  /** Pops that the broker did not begin. */
  final LongAdder elsewhere = new LongAdder();

  /** Pops with any other answer than 200 and 204. */
  final LongAdder failed = new LongAdder();

  private final Socket socket;
  private final DataOutputStream out;
  private final String[] targets;
  private final Consumer<String> onMessages;
  private volatile boolean closing;

  /**
   * Opens a link.
   *
   * @param targets paths of the pops, one each; its number in this array is its number on the link
   * @param onMessages is given the body of every answer that has messages, on the link's thread
   */
  ParkingLink(
      int port, String[] targets, Consumer<String> onMessages, ScheduledExecutorService beats) {
    this.targets = targets;
    this.onMessages = onMessages;
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
      upgrade();
      Thread.ofPlatform().daemon().name("parking-link").start(this::read);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var _ = beats.scheduleAtFixedRate(this::beat, BEAT_MS, BEAT_MS, TimeUnit.MILLISECONDS);
  }

  private void upgrade() throws IOException {
    var ask =
        "GET %s HTTP/1.1\r\nHost: broker\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"
            .formatted(PATH, PROTOCOL);
    out.write(ascii(ask));
    out.flush();
    var head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new EOFException("no answer to an upgrade");
      }
      head.append((char) next);
    }
    if (!head.toString().startsWith("HTTP/1.1 101 ")) {
      throw new IOException("no link: " + head);
    }
  }

  /** Sends some of the pops. */
  void ask(int from, int to) {
    try {
      synchronized (out) {
        for (int i = from; i < to; i++) {
          write(i);
        }
        out.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(int number) throws IOException {
    var request = ascii("GET " + targets[number] + " HTTP/1.1\r\nHost: broker\r\n\r\n");
    out.writeInt(INTRODUCTION_BYTES + request.length);
    out.writeByte(REQUEST);
    out.writeInt(number);
    out.write(request);
  }

  private void say(byte kind, int number) throws IOException {
    synchronized (out) {
      out.writeInt(INTRODUCTION_BYTES);
      out.writeByte(kind);
      out.writeInt(number);
      out.flush();
    }
  }

  /** The broker gives up a link that is silent. */
  private void beat() {
    try {
      if (!closing) {
        say(ALIVE, 0);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (var in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES))) {
      while (true) {
        int length = in.readInt() - INTRODUCTION_BYTES;
        byte kind = in.readByte();
        int number = in.readInt();
        var content = in.readNBytes(length);
        take(kind, number, content);
        // What has come at once is asked again at once.
        if (in.available() == 0) {
          synchronized (out) {
            out.flush();
          }
        }
      }
    } catch (EOFException | SocketException e) {
      if (!closing) {
        throw new UncheckedIOException(e);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void take(byte kind, int number, byte[] content) throws IOException {
    switch (kind) {
      case ANSWER -> {
        int status = ByteBuffer.wrap(content).getShort();
        if (status == NO_CONTENT) {
          empty.increment();
        } else if (status == 200) {
          onMessages.accept(new String(content, StandardCharsets.ISO_8859_1));
        } else {
          failed.increment();
        }
        synchronized (out) {
          write(number);
        }
      }
      case ELSEWHERE -> elsewhere.increment();
      case PIECE -> say(MORE, number);
      case ALIVE -> {}
      default -> throw new IOException("a frame of kind " + kind);
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    closing = true;
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
