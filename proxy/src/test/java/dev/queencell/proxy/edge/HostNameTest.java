package dev.queencell.proxy.edge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNameTest {
  @ParameterizedTest
  @CsvSource({
    "t0.queen.example:6711, t0.queen.example, t0",
    "T0.Queen.Example., t0.queen.example, t0",
    "t0.queen.example.:80, t0.queen.example, t0",
    "t0, t0, t0",
    "t0:6711, t0, t0",
    "127.0.0.1:6711, 127.0.0.1, 127",
    "my_slug.x, my_slug.x,",
    ".x, .x,",
    "'', '',",
    "[::1]:6711, '',",
    "a/b.x, a/b.x,",
  })
  void hostsBecomeNames(String header, String whole, String label) {
    assertEquals(whole, HostName.whole(header));
    assertEquals(label, HostName.label(whole));
  }
}
