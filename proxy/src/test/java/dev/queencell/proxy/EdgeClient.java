package dev.queencell.proxy;

import dev.queencell.service.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * A client that sends exactly the bytes that a test wants: any path, any {@code Host}, any header
 * twice. One connection per call, which a test may also break off.
 */
final class EdgeClient {
  private static final int READ_TIMEOUT_MS = 30_000;

  /** An answer; {@code complete} says whether its end came as announced. */
  record Answer(int status, Map<String, String> headers, byte[] body, boolean complete) {
    String header(String name) {
      return headers.get(name.toLowerCase(Locale.ROOT));
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    ObjectNode json() {
      return Json.readObject(body);
    }

    String code() {
      return json().path("code").asString();
    }

    String error() {
      return json().path("error").asString();
    }
  }

  /** A request under construction. */
  static final class Call {
    private final int port;
    private final String method;
    private final String pathAndQuery;
    private final StringBuilder headers = new StringBuilder();
    private byte[] body = new byte[0];

    private Call(int port, String method, String pathAndQuery) {
      this.port = port;
      this.method = method;
      this.pathAndQuery = pathAndQuery;
    }

    Call host(String host) {
      return header("Host", host);
    }

    Call key(String key) {
      return header("Authorization", "Bearer " + key);
    }

    Call header(String name, String value) {
      headers.append(name).append(": ").append(value).append("\r\n");
      return this;
    }

    Call body(String text) {
      return body(text.getBytes(StandardCharsets.UTF_8));
    }

    Call body(byte[] bytes) {
      body = bytes;
      return header("Content-Length", Integer.toString(bytes.length));
    }

    /** The same body in chunks of a few bytes, without its length. */
    Call chunked(String text) {
      var out = new StringBuilder();
      for (int i = 0; i < text.length(); i += 7) {
        var piece = text.substring(i, Math.min(text.length(), i + 7));
        out.append(Integer.toHexString(piece.length())).append("\r\n").append(piece).append("\r\n");
      }
      body = out.append("0\r\n\r\n").toString().getBytes(StandardCharsets.US_ASCII);
      return header("Transfer-Encoding", "chunked");
    }

    /** Sends it and leaves the connection open: the test decides what happens next. */
    Socket open() {
      try {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(READ_TIMEOUT_MS);
        var head = "%s %s HTTP/1.1\r\n%s\r\n".formatted(method, pathAndQuery, headers);
        var out = new ByteArrayOutputStream();
        out.writeBytes(head.getBytes(StandardCharsets.UTF_8));
        out.writeBytes(body);
        socket.getOutputStream().write(out.toByteArray());
        return socket;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Answer send() {
      try (var socket = open()) {
        return read(socket.getInputStream(), method);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final int port;

  EdgeClient(int port) {
    this.port = port;
  }

  Call get(String pathAndQuery) {
    return new Call(port, "GET", pathAndQuery);
  }

  Call post(String pathAndQuery) {
    return new Call(port, "POST", pathAndQuery);
  }

  Call call(String method, String pathAndQuery) {
    return new Call(port, method, pathAndQuery);
  }

  /** Reads one answer. */
  static Answer read(InputStream in, String method) throws IOException {
    var statusLine = line(in);
    int status = Integer.parseInt(statusLine.split(" ", -1)[1]);
    var headers = new LinkedHashMap<String, String>();
    for (var line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.merge(
          line.substring(0, colon).toLowerCase(Locale.ROOT),
          line.substring(colon + 1).strip(),
          (one, other) -> one + ", " + other);
    }
    boolean bodiless = method.equals("HEAD") || status == 204 || status == 304;
    if (bodiless) {
      return new Answer(status, headers, new byte[0], true);
    }
    if ("chunked".equals(headers.get("transfer-encoding"))) {
      return chunks(in, status, headers);
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    var body = in.readNBytes(length);
    return new Answer(status, headers, body, body.length == length);
  }

  private static Answer chunks(InputStream in, int status, Map<String, String> headers)
      throws IOException {
    var body = new ByteArrayOutputStream();
    while (true) {
      var size = line(in);
      if (size.isEmpty()) {
        return new Answer(status, headers, body.toByteArray(), false);
      }
      int length = Integer.parseInt(size, 16);
      body.writeBytes(in.readNBytes(length));
      line(in);
      if (length == 0) {
        return new Answer(status, headers, body.toByteArray(), true);
      }
    }
  }

  private static String line(InputStream in) throws IOException {
    var line = new StringBuilder();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }
}
