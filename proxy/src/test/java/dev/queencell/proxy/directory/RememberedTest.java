package dev.queencell.proxy.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.testsupport.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RememberedTest {
  private static final Remembered.Times TIMES = new Remembered.Times(30_000, 10_000, 600_000);

  /** The service: what it holds, whether it is away, and who is held up inside a question. */
  private final Map<String, String> truth = new ConcurrentHashMap<>();

  private final AtomicInteger questions = new AtomicInteger();
  private volatile boolean away;
  private volatile CountDownLatch hold = new CountDownLatch(0);

  private final AtomicLong nowNs = new AtomicLong(5_000_000_000L);
  private final Absence absence = new Absence(nowNs::get, 2_000);
  private final List<Boolean> loads = new ArrayList<>();
  private final Remembered<String> remembered =
      new Remembered<>(this::ask, TIMES, 100, nowNs::get, absence, loads::add);

  @Test
  void anAnswerIsGoodForItsTimeToLive() {
    truth.put("k", "1");
    assertEquals(Optional.of("1"), remembered.get("k"));
    truth.put("k", "2");
    pass(29_999);
    assertEquals(Optional.of("1"), remembered.get("k"));
    pass(1);
    assertEquals(Optional.of("2"), remembered.get("k"));
    assertEquals(2, questions.get());
  }

  @Test
  void itIsToldWhatIsNewAndWhatWasSaidAgain() {
    assertEquals(Optional.empty(), remembered.get("k"));
    assertEquals(List.of(), loads, "there is nothing to keep");
    truth.put("k", "1");
    pass(10_000);
    assertEquals(Optional.of("1"), remembered.get("k"));
    assertEquals(List.of(true), loads);
    pass(30_000);
    assertEquals(Optional.of("1"), remembered.get("k"));
    assertEquals(List.of(true, false), loads);
    truth.remove("k");
    pass(30_000);
    assertEquals(Optional.empty(), remembered.get("k"));
    assertEquals(List.of(true, false, true), loads, "what is gone is news");
  }

  @Test
  void thereIsNoneIsRememberedTooButForLessLong() {
    assertEquals(Optional.empty(), remembered.get("k"));
    assertEquals(Optional.empty(), remembered.get("k"));
    assertEquals(1, questions.get());
    truth.put("k", "1");
    pass(10_000);
    assertEquals(Optional.of("1"), remembered.get("k"));
  }

  @Test
  void forgettingTakesEffectAtOnceForYesAndNo() {
    truth.put("k", "1");
    remembered.get("k");
    truth.remove("k");
    remembered.forget("k");
    assertEquals(Optional.empty(), remembered.get("k"));
    truth.put("k", "2");
    remembered.forget("k");
    assertEquals(Optional.of("2"), remembered.get("k"));
  }

  @Test
  void whileTheServiceIsAwayTheOldAnswerStandsInForItsGrace() {
    truth.put("k", "1");
    remembered.get("k");
    away = true;
    pass(30_000);
    assertEquals(Optional.of("1"), remembered.get("k"));
    pass(599_000);
    assertEquals(Optional.of("1"), remembered.get("k"));
    pass(1_001);
    assertThrows(StateAwayException.class, () -> remembered.get("k"));
  }

  @Test
  void theServiceIsLeftAloneForAMomentWhileItIsAway() {
    truth.put("k", "1");
    remembered.get("k");
    away = true;
    pass(30_000);
    for (int i = 0; i < 50; i++) {
      remembered.get("k");
    }
    assertEquals(2, questions.get());
    pass(2_000);
    remembered.get("k");
    assertEquals(3, questions.get());
  }

  @Test
  void whileTheServiceIsAwayOneQuestionSpeaksForAllKeys() {
    for (int i = 0; i < 50; i++) {
      truth.put("k" + i, "1");
      remembered.get("k" + i);
    }
    assertEquals(50, questions.get());
    away = true;
    pass(30_000);
    for (int turn = 1; turn <= 3; turn++) {
      askForAll("1");
      assertEquals(50 + turn, questions.get(), "one a pause");
      pass(2_000);
    }
    away = false;
    truth.replaceAll((_, _) -> "2");
    askForAll("2");
    assertEquals(50 + 3 + 50, questions.get(), "what is old is asked for again, once");
  }

  private void askForAll(String expected) {
    for (int i = 0; i < 50; i++) {
      assertEquals(Optional.of(expected), remembered.get("k" + i));
    }
  }

  @Test
  void theGraceNeverRevivesWhatWasForgotten() {
    truth.put("k", "1");
    remembered.get("k");
    remembered.forget("k");
    away = true;
    assertThrows(StateAwayException.class, () -> remembered.get("k"));
  }

  @Test
  void theGraceNeverTurnsANoIntoAYes() {
    truth.put("k", "1");
    remembered.get("k");
    truth.remove("k");
    pass(30_000);
    assertEquals(Optional.empty(), remembered.get("k"));
    away = true;
    pass(10_000);
    assertEquals(Optional.empty(), remembered.get("k"));
  }

  @Test
  void doubtingAsksAgainButKeepsTheGrace() {
    truth.put("k", "1");
    remembered.get("k");
    truth.put("k", "2");
    pass(1);
    remembered.doubtAll();
    assertEquals(Optional.of("2"), remembered.get("k"));
    pass(1);
    remembered.doubtAll();
    away = true;
    assertEquals(Optional.of("2"), remembered.get("k"));
  }

  @Test
  void manyAskersOfOneKeyMakeOneQuestion() throws Exception {
    truth.put("k", "1");
    hold = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var calls = new ArrayList<Callable<Optional<String>>>();
      for (int i = 0; i < 50; i++) {
        calls.add(() -> remembered.get("k"));
      }
      var futures = calls.stream().map(threads::submit).toList();
      Await.until("the question is asked", () -> questions.get() == 1);
      hold.countDown();
      for (var future : futures) {
        assertEquals(Optional.of("1"), future.get(10, TimeUnit.SECONDS));
      }
    }
    assertTrue(questions.get() <= 2, "an asker that came after the answer finds it remembered");
    assertEquals(Optional.of("1"), remembered.get("k"));
  }

  @Test
  void anAnswerThatWasForgottenWhileUnderWayIsNotKept() throws Exception {
    truth.put("k", "old");
    hold = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = threads.submit(() -> remembered.get("k"));
      Await.until("the question is asked", () -> questions.get() == 1);
      truth.put("k", "new");
      remembered.forget("k");
      hold.countDown();
      assertEquals(Optional.of("old"), first.get(10, TimeUnit.SECONDS));
    }
    assertEquals(Optional.of("new"), remembered.get("k"));
  }

  @Test
  void forgettingAnotherKeyLeavesAnAnswerUnderWayAlone() throws Exception {
    truth.put("k", "1");
    hold = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var first = threads.submit(() -> remembered.get("k"));
      Await.until("the question is asked", () -> questions.get() == 1);
      remembered.forget("other");
      hold.countDown();
      first.get(10, TimeUnit.SECONDS);
    }
    assertEquals(Optional.of("1"), remembered.get("k"));
    assertEquals(1, questions.get());
  }

  @Test
  void itKeepsNoMoreThanItsBound() {
    for (int i = 0; i < 1_000; i++) {
      remembered.get("k" + i);
    }
    assertTrue(remembered.size() <= 100, remembered.size() + " entries");
  }

  @Test
  void everyWaiterHearsThatTheServiceIsAway() throws Exception {
    away = true;
    hold = new CountDownLatch(1);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var futures =
          List.of(
              threads.submit(() -> remembered.get("k")), threads.submit(() -> remembered.get("k")));
      Await.until("the question is asked", () -> questions.get() >= 1);
      hold.countDown();
      for (var future : futures) {
        var thrown =
            assertThrows(
                java.util.concurrent.ExecutionException.class,
                () -> future.get(10, TimeUnit.SECONDS));
        assertTrue(thrown.getCause() instanceof StateAwayException, thrown::toString);
      }
    }
  }

  private Optional<String> ask(String key) {
    questions.incrementAndGet();
    var answer = Optional.ofNullable(truth.get(key));
    try {
      assertTrue(hold.await(10, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    if (away) {
      throw new StateAwayException("away", null);
    }
    return answer;
  }

  private void pass(long ms) {
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}
