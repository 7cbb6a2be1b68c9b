package dev.queencell.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.Json;
import dev.queencell.state.cli.TenantCommand;
import dev.queencell.testsupport.LoggedErrors;
import dev.queencell.testsupport.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The commands of {@code tools/tenant.sh} against a running service. */
class TenantCommandIT {
  private record Ran(int code, String out, String err) {
    JsonNode json() {
      return Json.mapper().readTree(out);
    }
  }

  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();
  @RegisterExtension final LoggedErrors errors = LoggedErrors.failTheTest();
  @TempDir Path folder;

  private RunningState state;

  @BeforeEach
  void start() throws Exception {
    state = RunningState.start(DATABASE, Map.of());
    Files.writeString(folder.resolve("token"), StateClient.ADMIN_TOKEN + "\n");
  }

  @AfterEach
  void stop() {
    state.close();
  }

  @Test
  void aTenantsLifeOnTheCommandLine() throws Exception {
    var made = run("create", "acme", "--plan", "dev", "--email", "ann@acme.test", "--json");
    assertEquals(0, made.code(), made.err());
    var keyId = made.json().get("key_id").stringValue();
    var key = made.json().get("api_key").stringValue();
    assertTrue(key.startsWith("qk_"));
    assertTrue(run("create", "acme").out().contains("there already"));
    assertTrue(run("list").out().matches("(?s)slug +status +name\nacme +active +acme\n"), "list");
    assertTrue(run("show", "acme").out().contains("dev"));
    assertTrue(run("plans").out().contains("dedicated-s"));
    assertTrue(run("plan", "acme", "pro").out().contains("plan pro"));

    run("override", "acme", "max_queues=3", "max_payload_bytes=unlimited");
    var more = run("override", "acme", "req_burst=9", "max_queues=plan", "--json");
    assertEquals(
        "{\"req_burst\":9,\"max_payload_bytes\":null}", more.json().get("overrides").toString());
    assertEquals(
        "{}", run("override", "acme", "--clear", "--json").json().get("overrides").toString());

    run("grace", "acme");
    assertEquals("push_blocked", status());
    run("suspend", "acme");
    assertEquals("suspended", status());
    run("resume", "acme");
    run("block", "acme");
    assertEquals("push_blocked", status());
    run("unblock", "acme");
    assertEquals("active", status());

    var second = run("key", "acme", "--name", "ci", "--scopes", "produce,read", "--json");
    assertEquals(0, second.code(), second.err());
    var rotated = run("rotate", keyId, "--overlap", "60");
    assertTrue(rotated.out().contains("the old one works until 20"), rotated.out());
    run("revoke", second.json().get("id").stringValue());
    var keys = run("keys", "acme");
    assertEquals(4, keys.out().lines().count(), keys.out());
    assertFalse(keys.out().contains(key));
    var demoted = run("member", "acme", "ann@acme.test", "viewer");
    assertEquals(1, demoted.code());
    assertTrue(demoted.err().contains("last admin"), demoted.err());
    assertTrue(run("members", "acme").out().contains("ann@acme.test  admin"));
    Files.writeString(folder.resolve("bob.txt"), "a password of the test\n");
    var bob = folder.resolve("bob.txt").toString();
    assertEquals(0, run("user", "acme", "bob@acme.test", "--password-file", bob).code());
    assertEquals(0, run("member", "acme", "bob@acme.test", "viewer").code());
    assertTrue(run("members", "acme").out().contains("bob@acme.test  viewer"));
    var again = run("rotate", keyId).out();
    assertTrue(again.contains("the old one works until 20") && again.contains("Z"), again);
    assertEquals(0, run("enforce", "on").code());
    assertTrue(run("audit", "acme").out().contains("api_key_rotated"));
  }

  @Test
  void anInvoicesNumbersAreATable() {
    var cluster = state.tenant("acme");
    var minute = Instant.now().truncatedTo(ChronoUnit.MINUTES).toString();
    state.usage(UUID.randomUUID(), List.of(RunningState.row(cluster, minute, "push", 1234)));
    var month = minute.substring(0, "2026-11".length());
    var table = run("usage", "acme", "--month", month);
    assertTrue(table.out().contains("messages 1234"), table.out());
    assertTrue(table.out().contains("op_class  reqs  msgs  bytes_in  bytes_out"), table.out());
    assertTrue(table.out().contains("push         1  1234     12340          5"), table.out());
    assertEquals(1234, run("usage", "acme", "--json").json().at("/clusters/0/msgs").intValue());
  }

  @Test
  void mistakesAreNamedAndToldFromRefusals() {
    for (var wrong :
        List.of(
            List.of("nonsense"),
            List.of(),
            List.of("show"),
            List.of("list", "more"),
            List.of("list", "--nope", "x"),
            List.of("rotate", "x", "--overlap", "soon"),
            List.of("override", "acme"),
            List.of("enforce", "maybe"),
            List.of("delete", "acme"))) {
      state.tenant("acme");
      var ran = run(wrong.toArray(String[]::new));
      assertEquals(2, ran.code(), wrong + ran.err());
      assertTrue(ran.err().contains("tenant.sh -h"), ran.err());
      assertEquals("", ran.out());
    }
    var unknown = run("show", "nobody");
    assertEquals(1, unknown.code());
    assertTrue(unknown.err().contains("tenant_unknown"), unknown.err());
    assertEquals(1, run("plan", "acme", "gold").code());
    assertEquals(1, run("rotate", "00000000-0000-0000-0000-000000000009").code());
    var deleted = run("delete", "acme", "--yes", "--force");
    assertEquals(0, deleted.code());
    assertTrue(deleted.out().contains("acme is gone, with 1 cluster\n"), deleted.out());
    assertEquals(1, run("show", "acme").code());
  }

  @Test
  void aTenantThatIsGoneCanBeDeletedAgain() {
    state.tenant("acme");
    assertEquals(0, run("delete", "acme", "--yes", "--force").code());
    for (var options : List.of(List.of("--yes"), List.of("--yes", "--force"))) {
      var words = Stream.concat(Stream.of("delete", "acme"), options.stream());
      var again = run(words.toArray(String[]::new));
      assertEquals(0, again.code(), again.err());
      assertTrue(again.out().contains("already deleted"), again.out());
    }
    assertFalse(run("delete", "acme", "--yes", "--json").json().get("existed").asBoolean());
    assertEquals(1, run("purge", "acme", "--yes").code(), "there is nothing to purge");
  }

  @Test
  void aRoleForAnUnknownAccountSaysWhatIsUnknownAndWhatToDo() {
    state.tenant("acme");
    var refused = run("member", "acme", "carol@acme.test", "viewer");
    assertEquals(1, refused.code());
    assertTrue(
        refused
            .err()
            .contains(
                "carol@acme.test is no account of tenant 'acme'; make it first:"
                    + " tools/tenant.sh user acme carol@acme.test"),
        refused.err());
    assertEquals(0, run("user", "acme", "carol@acme.test").code());
    var roleless = run("member", "acme", "carol@acme.test", "none");
    assertTrue(roleless.err().contains("has no role on this cluster"), roleless.err());
    assertEquals(0, run("member", "acme", "carol@acme.test", "viewer").code());
  }

  private String status() {
    return state.client().edge("/api/edge/clusters/by-slug/acme").text("status");
  }

  private Ran run(String... words) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var all =
        Stream.concat(
                Stream.of(
                    "--state-url",
                    "http://127.0.0.1:" + state.port(),
                    "--admin-token-file",
                    folder.resolve("token").toString()),
                Stream.of(words))
            .toArray(String[]::new);
    try {
      int code =
          TenantCommand.run(
              all,
              new PrintStream(out, true, StandardCharsets.UTF_8),
              new PrintStream(err, true, StandardCharsets.UTF_8));
      return new Ran(
          code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
