package dev.queencell.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.io.EndPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a link that asks. */
final class LinkClient extends LinkEnd implements Carrier {
  private static final Logger LOG = LoggerFactory.getLogger(LinkClient.class);

  private static final HttpField JSON =
      new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, MimeTypes.Type.APPLICATION_JSON.asString());

  /** Beyond this calls go over HTTP: the other end takes nothing. */
  private static final int REQUESTS_BYTES_MAX = 4 * 1024 * 1024;

  private final DirectClient client;
  private final Map<Integer, UnderWay> calls = new HashMap<>();
  private int lastNumber;

  /** A call that was sent and has not had its whole answer. */
  private static final class UnderWay {
    private final DirectClient.Call call;
    private int bytesToCome;

    UnderWay(DirectClient.Call call) {
      this.call = call;
    }
  }

  LinkClient(EndPoint endPoint, Executor executor, DirectClient client) {
    super(endPoint, executor, client::later, client.scheduler());
    this.client = client;
  }

  /** Carries a call; false when it can't. */
  boolean begin(DirectClient.Call call) {
    var request = call.request();
    if (isClosed()
        || request.remaining() > REQUEST_BYTES_MAX
        || backlogBytes() > REQUESTS_BYTES_MAX) {
      return false;
    }
    int number = ++lastNumber;
    call.carriedBy(this, number);
    calls.put(number, new UnderWay(call));
    say(Kind.REQUEST, number, request.remaining()).put(request);
    return true;
  }

  @Override
  public boolean hasRested() {
    return true;
  }

  @Override
  public void resume(DirectClient.Call call) {
    onSelector(
        () -> {
          if (calls.containsKey(call.number())) {
            say(Kind.MORE, call.number());
          }
        });
  }

  @Override
  public void drop(DirectClient.Call call) {
    if (calls.remove(call.number()) != null) {
      say(Kind.CANCEL, call.number());
    }
  }

  @Override
  void frame(Kind kind, int number, ByteBuffer content) throws IOException {
    var underWay = calls.get(number);
    if (underWay == null) {
      // Dropped meanwhile.
      return;
    }
    try {
      switch (kind) {
        case ANSWER -> {
          begins(underWay, content);
          take(underWay, content);
        }
        case PIECE -> take(underWay, content);
        case ELSEWHERE -> {
          calls.remove(number);
          client.sendAlone(underWay.call);
        }
        case BROKEN -> {
          calls.remove(number);
          underWay.call.broke(this);
        }
        default -> throw new IOException(kind + " from the end that answers");
      }
    } catch (RuntimeException e) {
      LOG.error("an answer could not be handed on", e);
      drop(underWay.call);
      underWay.call.broke(this);
    }
  }

  private static void begins(UnderWay underWay, ByteBuffer content) {
    int status = Short.toUnsignedInt(content.getShort());
    int fieldBytes = Short.toUnsignedInt(content.getShort());
    boolean json = content.get() != 0;
    int length = content.getInt();
    var fields = HttpFields.build();
    if (json) {
      fields.add(JSON).add(HttpHeader.CONTENT_LENGTH, length);
    }
    if (fieldBytes > 0) {
      addFields(fields, content, fieldBytes);
    }
    underWay.bytesToCome = length;
    underWay.call.begins(status, fields, length);
  }

  private static void addFields(HttpFields.Mutable fields, ByteBuffer content, int bytes) {
    var text = new byte[bytes];
    content.get(text);
    for (var line : new String(text, StandardCharsets.ISO_8859_1).split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.add(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    }
  }

  private void take(UnderWay underWay, ByteBuffer content) throws IOException {
    underWay.bytesToCome -= content.remaining();
    if (underWay.bytesToCome < 0) {
      throw new IOException("more of an answer than was announced");
    }
    if (content.hasRemaining()) {
      underWay.call.body(content);
    }
    if (underWay.bytesToCome == 0) {
      calls.remove(underWay.call.number());
      underWay.call.ended();
    } else if (underWay.call.more()) {
      say(Kind.MORE, underWay.call.number());
    }
  }

  @Override
  void ended() {
    var broken = new ArrayList<>(calls.values());
    calls.clear();
    broken.forEach(underWay -> safely(() -> underWay.call.broke(this)));
  }
}
