package dev.queencell.proxy.edge;

import dev.queencell.service.HttpProblem;
import java.time.YearMonth;

/** The contract's refusals, each with its code. */
final class Refusals {
  private Refusals() {}

  static HttpProblem unauthorized() {
    return new HttpProblem(401, "a valid API key or session is required", "unauthorized");
  }

  static HttpProblem clusterUnknown() {
    return new HttpProblem(421, "no cluster answers to this host name", "cluster_unknown");
  }

  static HttpProblem clusterSuspended() {
    return new HttpProblem(403, "this cluster is suspended", "cluster_suspended");
  }

  static HttpProblem pushBlocked() {
    return new HttpProblem(
        403, "pushing is blocked for this cluster; consuming still works", "push_blocked");
  }

  static HttpProblem storageExceeded() {
    return new HttpProblem(
        403,
        "the cluster keeps as much as max_retained_bytes allows; consuming and deleting still work",
        "storage_quota_exceeded");
  }

  static HttpProblem monthExceeded(YearMonth now) {
    return new HttpProblem(
        403,
        "monthly_msgs_quota is used up; pushing works again in %s (UTC)"
            .formatted(now.plusMonths(1)),
        "quota_exceeded");
  }

  static HttpProblem notConfigured() {
    return new HttpProblem(503, "sign-in and console are away", "not_configured");
  }

  static HttpProblem routeBlocked() {
    return new HttpProblem(404, "no such route", "route_blocked");
  }

  static HttpProblem keyMismatch() {
    return new HttpProblem(403, "key/cluster mismatch", "forbidden");
  }

  static HttpProblem keyCantAct() {
    return new HttpProblem(
        403, "an API key is bound to its cluster; leave x-queen-act-cluster out", "forbidden");
  }

  static HttpProblem stateAway() {
    return new HttpProblem(502, "the tenant state is away", "bad_gateway");
  }

  static HttpProblem brokerUnreachable() {
    return new HttpProblem(502, "the broker can't be reached", "bad_gateway");
  }

  static HttpProblem brokerTimedOut() {
    return new HttpProblem(504, "the broker did not answer in time", "upstream_timeout");
  }

  static HttpProblem bodyCutShort() {
    return new HttpProblem(400, "the body ended before its announced end", "invalid_request");
  }

  static HttpProblem forbidden(String need) {
    return new HttpProblem(403, "this takes " + need, "forbidden");
  }

  static HttpProblem featureGated(String feature) {
    return new HttpProblem(
        403, "the plan of this cluster does not include " + feature, "feature_gated");
  }

  static HttpProblem tooLarge(String text) {
    return new HttpProblem(413, text, "payload_too_large");
  }

  static HttpProblem rateLimited(String text, int retryAfterSeconds) {
    return new HttpProblem(429, text, "rate_limited", retryAfterSeconds);
  }

  static HttpProblem quotaExceeded(String text) {
    return new HttpProblem(403, text, "quota_exceeded");
  }

  static HttpProblem invalidRequest(String text) {
    return new HttpProblem(400, text, "invalid_request");
  }
}
