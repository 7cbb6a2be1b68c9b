package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokerConfigTest {
  @Test
  void everythingHasADefaultAndStaysOnTheLoopback() {
    var config = read(Map.of());
    assertEquals("127.0.0.1", config.api().bindAddr());
    assertEquals(6632, config.api().port());
    assertEquals("http://127.0.0.1:6632", config.api().ownUrl());
    assertFalse(config.api().tenancyHeader());
    assertNull(config.api().corsOrigin());
    assertEquals("jdbc:postgresql://127.0.0.1:5466/queencell", config.engine().jdbcUrl());
    assertEquals("queencell", config.engine().user());
    assertNull(config.engine().password());
    assertTrue(config.engine().lanes() >= 1);
  }

  @Test
  void tenancyNeedsATrustedProxy() {
    var problem = problem(Map.of("QUEEN_TENANCY_HEADER", "true"));
    assertTrue(problem.contains("QUEEN_KV_TRUSTED_PROXY=true"), problem);
    var both = Map.of("QUEEN_TENANCY_HEADER", "1", "QUEEN_KV_TRUSTED_PROXY", "yes");
    assertTrue(read(both).api().tenancyHeader());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0:80", "localhost:6632", "[::1]:6632"})
  void anAddressThatCarriesAPortIsRefused(String address) {
    var problem = problem(Map.of("QUEEN_BIND_ADDR", address));
    assertTrue(problem.contains("QUEEN_BIND_ADDR is '" + address + "'"), problem);
  }

  @Test
  void ipv6AddressesAreWrittenInBrackets() {
    var config = read(Map.of("QUEEN_BIND_ADDR", "::1", "PG_HOST", "fe80::2"));
    assertEquals("http://[::1]:6632", config.api().ownUrl());
    assertEquals("jdbc:postgresql://[fe80::2]:5466/queencell", config.engine().jdbcUrl());
  }

  @Test
  void allProblemsAreReportedAtOnce() {
    var problem = problem(Map.of("PORT", "x", "QUEENCELL_LANES", "0", "PG_PORT", "70000"));
    assertTrue(problem.contains("PORT is 'x'"), problem);
    assertTrue(problem.contains("QUEENCELL_LANES is '0'"), problem);
    assertTrue(problem.contains("PG_PORT is '70000'"), problem);
  }

  @Test
  void aKeyThatCannotBeUsedIsAProblemAndIsNotShown() {
    var problem = problem(Map.of("QUEEN_ENCRYPTION_KEY", "0123456789abcdefg"));
    assertTrue(problem.contains("exactly 64 hexadecimal characters"), problem);
    assertFalse(problem.contains("abcdefg"), problem);
    var key = "0f".repeat(32);
    assertTrue(read(Map.of("QUEEN_ENCRYPTION_KEY", key)).engine().cipher().loaded());
    assertFalse(read(Map.of()).engine().cipher().loaded());
    var former = problem(Map.of("QUEENCELL_ENCRYPTION_KEYS_FORMER", key));
    assertTrue(former.contains("without QUEEN_ENCRYPTION_KEY"), former);
  }

  @Test
  void tokensAreOffByDefaultAndTheirSettingsAreChecked() {
    assertFalse(read(Map.of()).auth().enabled());
    assertEquals(
        List.of("/health", "/metrics/prometheus", "/metrics", "/"),
        read(Map.of()).auth().skipPaths());
    var problem =
        problem(
            Map.of(
                "JWT_ALGORITHM", "none",
                "JWT_JWKS_URL", "file:/etc/passwd",
                "JWT_ROLE_ADMIN", "boss",
                "JWT_ROLE_READ_ONLY", "boss"));
    assertTrue(problem.contains("JWT_ALGORITHM is 'none'"), problem);
    assertTrue(problem.contains("JWT_JWKS_URL is 'file:/etc/passwd'"), problem);
    assertTrue(problem.contains("JWT_ROLE_READ_ONLY is 'boss'"), problem);
  }

  @Test
  void brokersOnOneMachineDoNotShareASpoolByDefault() {
    var one = read(Map.of("PORT", "1001")).spool().directory();
    var other = read(Map.of("PORT", "1002")).spool().directory();
    assertFalse(one.equals(other), one.toString());
    assertEquals("/x/y", read(Map.of("FILE_BUFFER_DIR", "/x/y")).spool().directory().toString());
  }

  private static BrokerConfig read(Map<String, String> environment) {
    return BrokerConfig.read(new Settings(environment));
  }

  private static String problem(Map<String, String> environment) {
    return assertThrows(IllegalStateException.class, () -> read(environment)).getMessage();
  }
}
