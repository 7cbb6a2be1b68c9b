package dev.queencell.loader.measure;

/** What is counted over a run. */
public enum Counter {
  /** Messages due by the schedule. */
  OFFERED,
  /** Messages due at the cap on requests in flight: never sent. */
  SHED,
  /** Messages that the server took. */
  ACCEPTED,
  /** Messages whose push failed. */
  PUSH_FAILED,
  /** First deliveries. */
  DELIVERED,
  /** Deliveries that were none. */
  REPEATED,
  ACKED,
  PUSH_REQUESTS,
  POP_REQUESTS,
  EMPTY_POPS,
  ACK_REQUESTS,
  PAYLOAD_BYTES_PUSHED,
  PAYLOAD_BYTES_DELIVERED
}
