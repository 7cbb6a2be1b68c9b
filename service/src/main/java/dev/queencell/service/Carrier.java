package dev.queencell.service;

/** What carries calls of a {@link DirectClient}: a connection one at a time, a link many. */
sealed interface Carrier permits DirectConnection, LinkClient {
  /** The receiver of a call takes more of its answer. */
  void resume(DirectClient.Call call);

  /** Nobody waits for a call's answer any more. */
  void drop(DirectClient.Call call);

  /** True when it was there before its call, so that it may have ended meanwhile. */
  boolean hasRested();
}
