package dev.queencell.proxy.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PopQueryTest {
  @ParameterizedTest
  @CsvSource({
    ", false, 0",
    "batch=5, false, 0",
    "wait=false, false, 0",
    "wait=true, true, 30000",
    "wait=TRUE, true, 30000",
    "wait=1, true, 30000",
    "wait=yes, true, 30000",
    "w%61it=tr%75e, true, 30000",
    "wait=true&timeout=500, true, 500",
    "timeout=500&wait=true, true, 500",
    "wait=false&wait=true, true, 30000",
    "wait=true&wait=false, true, 30000",
    "wait=true&timeout=x, true, 30000",
    "wait=true&timeout=-5, true, 30000",
    "wait=true&timeout=1&timeout=900, true, 900",
    "await=true, false, 0",
    "wait=true&timeout=%zz, true, 30000",
    "wait, false, 0",
    "&&=&wait=true, true, 30000",
  })
  void itReadsAsLenientlyAsAnyBroker(String query, boolean waits, long timeoutMs) {
    assertEquals(new PopQuery(waits, timeoutMs), PopQuery.of(query));
  }
}
