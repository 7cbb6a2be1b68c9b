package dev.queencell.service;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;

/**
 * A {@link DirectExchange} that came over a link. Its head is kept as it came and looked through
 * when a field is asked for, since few are.
 */
final class LinkExchange implements DirectExchange {
  /** Status, length of the header fields, whether the body is JSON, length of the body. */
  static final int ANSWER_HEAD_BYTES = Short.BYTES + Short.BYTES + 1 + Integer.BYTES;

  private static final int NO_CONTENT = 204;
  private static final byte[] NOTHING = new byte[0];

  private final LinkServer link;
  private final int number;
  private final String method;
  private final String target;

  /** What follows the first line, with the end of its last line. */
  private final byte[] fields;

  private byte[] body;
  private String answerFields = "";

  // The answer, while pieces of it are still to be sent.
  private byte[] answer;
  private int answerLength;
  private int sent;
  private Runnable onFailed;
  private boolean over;

  /** Guarded by this: a watch begins on another thread. */
  private boolean gone;

  /** Guarded by this; null while nobody watches. */
  private Runnable onGone;

  private LinkExchange(
      LinkServer link, int number, String method, String target, byte[] fields, byte[] body) {
    this.link = link;
    this.number = number;
    this.method = method;
    this.target = target;
    this.fields = fields;
    this.body = body;
  }

  /** Reads a request; null when it is not written as one. */
  static LinkExchange read(LinkServer link, int number, ByteBuffer request) {
    var bytes = request.array();
    int at = request.arrayOffset() + request.position();
    int end = request.arrayOffset() + request.limit();
    int afterMethod = indexOf(bytes, at, end, (byte) ' ');
    int afterTarget = afterMethod < 0 ? -1 : indexOf(bytes, afterMethod + 1, end, (byte) ' ');
    int line = afterTarget < 0 ? -1 : indexOf(bytes, afterTarget, end, (byte) '\n');
    int fields = line + 1;
    while (line >= 0) {
      int next = indexOf(bytes, line + 1, end, (byte) '\n');
      if (next == line + 2) {
        return new LinkExchange(
            link,
            number,
            text(bytes, at, afterMethod),
            text(bytes, afterMethod + 1, afterTarget),
            copy(bytes, fields, line + 1),
            copy(bytes, next + 1, end));
      }
      line = next;
    }
    return null;
  }

  @Override
  public void execute(Runnable task) {
    link.onSelector(task);
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String path() {
    int end = target.indexOf('?');
    return end < 0 ? target : target.substring(0, end);
  }

  @Override
  public String query() {
    int end = target.indexOf('?');
    return end < 0 ? null : target.substring(end + 1);
  }

  @Override
  public long bodyBytes() {
    return body.length;
  }

  @Override
  public String header(String name) {
    int line = find(name, 0);
    if (line < 0) {
      return null;
    }
    int end = indexOf(fields, line, fields.length, (byte) '\n');
    return text(fields, line + name.length() + 1, end).strip();
  }

  @Override
  public boolean repeats(String name) {
    int first = find(name, 0);
    return first >= 0 && find(name, first + 1) >= 0;
  }

  /** Where the first line with that name begins; -1 when none does. */
  private int find(String name, int from) {
    int at = from == 0 ? 0 : indexOf(fields, from, fields.length, (byte) '\n') + 1;
    while (at < fields.length) {
      if (isNamed(at, name)) {
        return at;
      }
      at = indexOf(fields, at, fields.length, (byte) '\n') + 1;
    }
    return -1;
  }

  private boolean isNamed(int at, String name) {
    int end = at + name.length();
    if (end >= fields.length || fields[end] != ':') {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if (Character.toLowerCase(fields[at + i]) != Character.toLowerCase(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void readBody(int bytes, Consumer<byte[]> whole, Runnable onBroken) {
    var read = body;
    body = NOTHING;
    whole.accept(read);
  }

  @Override
  public DirectExchange answerHeader(String name, String value) {
    answerFields += name + ": " + value + "\r\n";
    return this;
  }

  @Override
  public void send(int status, byte[] json, int length, Runnable failed) {
    onLinkThread(() -> answer(status, json, length, failed));
  }

  @Override
  public void send(HttpProblem problem) {
    if (problem.retryAfterSeconds() > 0) {
      var seconds = Integer.toString(problem.retryAfterSeconds());
      answerHeader(HttpHeader.RETRY_AFTER.asString(), seconds);
    }
    var json = problem.body();
    send(problem.status(), json, json.length, () -> {});
  }

  @Override
  public void sendNothing() {
    onLinkThread(() -> answer(NO_CONTENT, NOTHING, 0, () -> {}));
  }

  @Override
  public void abandon() {
    onLinkThread(
        () -> {
          if (!over) {
            broken();
          }
        });
  }

  @Override
  public ClientWatch watch(Runnable told) {
    synchronized (this) {
      if (!gone) {
        onGone = told;
        return new ClientWatch(this::unwatch);
      }
    }
    told.run();
    return new ClientWatch(() -> {});
  }

  private synchronized void unwatch() {
    onGone = null;
  }

  private synchronized boolean isGone() {
    return gone;
  }

  /** Nobody waits for the answer any more. */
  void gone() {
    if (over) {
      return;
    }
    // Told under the lock, so that nothing is told after a watch has ended.
    synchronized (this) {
      gone = true;
      if (onGone != null) {
        onGone.run();
        onGone = null;
      }
    }
    if (answer != null) {
      answer = null;
      try {
        onFailed.run();
      } finally {
        broken();
      }
    }
  }

  private void answer(int status, byte[] json, int length, Runnable failed) {
    link.whenRoom(() -> begin(status, json, length, failed));
  }

  private void begin(int status, byte[] json, int length, Runnable failed) {
    if (isGone() || link.isClosed()) {
      try {
        failed.run();
      } finally {
        broken();
      }
      return;
    }
    var extra = answerFields.getBytes(StandardCharsets.ISO_8859_1);
    int first = Math.min(length, LinkEnd.PIECE_BYTES_MAX);
    link.say(LinkEnd.Kind.ANSWER, number, ANSWER_HEAD_BYTES + extra.length + first)
        .putShort((short) status)
        .putShort((short) extra.length)
        .put((byte) (status == NO_CONTENT ? 0 : 1))
        .putInt(length)
        .put(extra)
        .put(json, 0, first);
    if (first < length) {
      answer = json;
      answerLength = length;
      sent = first;
      onFailed = failed;
    } else {
      link.ifLost(failed);
      end();
    }
  }

  /** The other end has taken the last piece. */
  void sendPiece() {
    if (answer == null) {
      return;
    }
    int next = Math.min(answerLength - sent, LinkEnd.PIECE_BYTES_MAX);
    link.say(LinkEnd.Kind.PIECE, number, next).put(answer, sent, next);
    sent += next;
    if (sent == answerLength) {
      link.ifLost(onFailed);
      answer = null;
      end();
    }
  }

  private void broken() {
    link.say(LinkEnd.Kind.BROKEN, number);
    end();
  }

  private void end() {
    over = true;
    link.answered(number);
  }

  private void onLinkThread(Runnable task) {
    if (SelectorTurn.isOne()) {
      task.run();
    } else {
      link.onSelector(task);
    }
  }

  private static int indexOf(byte[] bytes, int from, int end, byte wanted) {
    for (int i = from; i < end; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }

  private static String text(byte[] bytes, int from, int end) {
    return new String(bytes, from, end - from, StandardCharsets.ISO_8859_1);
  }

  private static byte[] copy(byte[] bytes, int from, int end) {
    var copy = new byte[end - from];
    System.arraycopy(bytes, from, copy, 0, copy.length);
    return copy;
  }
}
