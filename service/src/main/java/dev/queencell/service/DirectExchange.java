package dev.queencell.service;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A request of {@link DirectRoutes} and its one answer. Methods return at once; of {@link #send},
 * {@link #sendNothing} and {@link #abandon} exactly one is called, on any thread. As an executor it
 * is the thread that serves its connection: what one commit has made ready is answered there one
 * after the other, for one wake-up in all.
 */
public sealed interface DirectExchange extends Executor permits HttpExchange, LinkExchange {
  String method();

  /** As it was sent, escapes and all. */
  String path();

  /** As it was sent; null for none. */
  String query();

  /** Bytes of the body, 0 for none; -1 when that is not announced or a go-ahead is waited for. */
  long bodyBytes();

  /** The value of a header field; null for none. */
  String header(String name);

  /** Whether a header field comes more than once. */
  boolean repeats(String name);

  /**
   * Gathers the body and hands it on, at once when it is here already.
   *
   * @param bytes from {@link #bodyBytes}
   * @param whole must not block
   * @param onBroken is called instead when the connection ends inside it
   */
  void readBody(int bytes, Consumer<byte[]> whole, Runnable onBroken);

  /** Adds a header field to the answer. */
  DirectExchange answerHeader(String name, String value);

  /**
   * Answers with JSON.
   *
   * @param json must be left alone from here on
   * @param onFailed is called when the answer could not be written
   */
  void send(int status, byte[] json, int length, Runnable onFailed);

  /** Answers with a refusal. */
  void send(HttpProblem problem);

  /** Answers that there is nothing. */
  void sendNothing();

  /** There is nobody to answer to. */
  void abandon();

  /**
   * Watches the client of a request whose body has been read.
   *
   * @param onGone see {@link ClientWatch}
   */
  ClientWatch watch(Runnable onGone);
}
