package dev.queencell.proxy.directory;

import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

/**
 * What sessions may do, under a hash of token and place. A session's own end is never outlived.
 *
 * <p>Thread-safe.
 */
final class SessionMemory {
  private final Remembered<SessionView> answers;

  /** Questions by their hash, while one is under way: what is kept is only the hash. */
  private final ConcurrentMap<String, SessionQuestion> asking = new ConcurrentHashMap<>();

  /**
   * @param absence its own: what a session asks, and how that fails, is up to whoever sent it
   */
  SessionMemory(
      StateService service,
      Remembered.Times times,
      long entriesMax,
      Ticker clock,
      Absence absence) {
    answers =
        new Remembered<>(
            hash -> Optional.of(service.session(question(hash))),
            times,
            entriesMax,
            clock,
            absence,
            isNews -> {});
  }

  SessionView get(SessionQuestion question, Instant now) {
    var hash = question.hash();
    asking.put(hash, question);
    try {
      var answer =
          answers
              .get(hash)
              .orElseThrow(() -> new StateAwayException("the session was not asked for", null));
      if (answer.refusal() == null && !now.isBefore(answer.expiresAt())) {
        answers.forget(hash);
        return answers
            .get(hash)
            .filter(again -> again.refusal() != null || now.isBefore(again.expiresAt()))
            .orElseThrow(() -> new StateAwayException("the session has ended", null));
      }
      return answer;
    } finally {
      asking.remove(hash, question);
    }
  }

  void forgetCluster(String clusterId) {
    forgetWhere(view -> view.cluster() == null || view.cluster().id().equals(clusterId));
  }

  void forgetSession(String jti) {
    forgetWhere(view -> view.jti().equals(jti));
  }

  void doubtAll() {
    answers.doubtAll();
  }

  private SessionQuestion question(String hash) {
    var question = asking.get(hash);
    if (question == null) {
      throw new StateAwayException("nobody asks for this session any more", null);
    }
    return question;
  }

  private void forgetWhere(Predicate<SessionView> condition) {
    var gone = new ArrayList<String>();
    answers.forEach(
        (hash, view, ageMs) -> {
          if (condition.test(view)) {
            gone.add(hash);
          }
        });
    gone.forEach(answers::forget);
    // One that is being asked about right now may bring what was true before.
    asking.keySet().forEach(answers::forget);
  }
}
