package dev.queencell.loader.provision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.client.QueenException;
import dev.queencell.client.QueenTransport;
import dev.queencell.loader.options.Options;
import dev.queencell.service.HttpProblem;
import dev.queencell.service.HttpServer;
import dev.queencell.service.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Provisioning against a real server that keeps tenants and keys as the state service does. */
class ProvisionerTest {
  private final Set<String> tenants = ConcurrentHashMap.newKeySet();
  private final Map<String, String> tenantByHash = new ConcurrentHashMap<>();
  private volatile int failAfter = Integer.MAX_VALUE;
  private int bootstraps;
  private final HttpServer server =
      HttpServer.start(
          "127.0.0.1",
          0,
          100,
          routes -> {
            routes.post(
                "/api/cp/bootstrap",
                ctx -> {
                  if (++bootstraps > failAfter) {
                    throw new HttpProblem(500, "database is away", null);
                  }
                  var request = Json.readObject(HttpServer.body(ctx, 1 << 20));
                  var slug = request.path("tenant_slug").asString();
                  // A tenant that is there keeps its keys; none is made, whatever its name.
                  var key = tenants.add(slug) ? "qk_" + slug + "_" + bootstraps : null;
                  if (key != null) {
                    tenantByHash.put(sha256(key), slug);
                  }
                  var answer = Json.object().put("tenant_id", "T" + slug).put("api_key", key);
                  answer.put("cluster_id", "C" + slug).put("broker_tenant_uuid", "B" + slug);
                  HttpServer.json(ctx, 200, Json.bytes(answer));
                });
            routes.post(
                "/api/cp/keys",
                ctx -> {
                  var request = Json.readObject(HttpServer.body(ctx, 1 << 20));
                  var slug = request.path("cluster_id").asString().substring(1);
                  var key = "qk_" + slug + "_" + request.path("name").asString();
                  tenantByHash.put(sha256(key), slug);
                  HttpServer.json(ctx, 201, Json.bytes(Json.object().put("api_key", key)));
                });
            routes.post(
                "/api/cp/keys/check",
                ctx -> {
                  var answer = Json.object();
                  var rows = answer.putArray("results");
                  for (var hash :
                      Json.readObject(HttpServer.body(ctx, 1 << 20)).path("key_hashes")) {
                    var tenant = tenantByHash.get(hash.asString());
                    rows.addObject()
                        .put("key_hash", hash.asString())
                        .put("valid", tenant != null)
                        .put("cluster_slug", tenant);
                  }
                  HttpServer.json(ctx, 200, Json.bytes(answer));
                });
          });
  @TempDir private Path directory;

  @AfterEach
  void stop() {
    server.close();
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path file() {
    return directory.resolve("tenants.json");
  }

  private Provisioner.Outcome provision(String prefix, int count) throws IOException {
    try (var transport = new QueenTransport(URI.create("http://127.0.0.1:" + server.port()))) {
      return new Provisioner(
              transport.controlPlane("token"),
              file(),
              prefix,
              "bench",
              "bench",
              _ -> {},
              () -> false)
          .provision(count);
    }
  }

  @Test
  void aSecondRunKeepsEveryKeyAndCreatesOnlyWhatIsMissing() throws IOException {
    assertEquals(new Provisioner.Outcome(3, 0, 0), provision("t", 3));
    var before = TenantsFile.read(file());
    assertEquals(new Provisioner.Outcome(2, 0, 3), provision("t", 5));
    assertEquals(before, TenantsFile.read(file()).subList(0, 3));
    assertEquals(new Provisioner.Outcome(0, 0, 2), provision("t", 2));
    assertEquals(5, TenantsFile.read(file()).size(), "a smaller run forgets nothing");
  }

  @Test
  void aKeyThatIsNoLongerAcceptedIsReplaced() throws IOException {
    provision("t", 2);
    var revoked = TenantsFile.read(file()).get(1).apiKey();
    tenantByHash.remove(sha256(revoked));
    assertEquals(new Provisioner.Outcome(0, 1, 1), provision("t", 2));
    var replaced = TenantsFile.read(file()).get(1).apiKey();
    assertEquals("t1", tenantByHash.get(sha256(replaced)));
  }

  @Test
  void aTenantWhoseKeyWasLostWithItsFileGetsAnother() throws IOException {
    provision("t", 1);
    Files.delete(file());
    assertEquals(new Provisioner.Outcome(1, 0, 0), provision("t", 1));
    assertEquals("t0", tenantByHash.get(sha256(TenantsFile.read(file()).getFirst().apiKey())));
  }

  @Test
  void keysThatWereMadeBeforeAFailureAreInTheFile() throws IOException {
    failAfter = 2;
    assertThrows(QueenException.class, () -> provision("t", 5));
    assertEquals(2, TenantsFile.read(file()).size());
  }

  @Test
  void theFileIsItsOwnersAloneAndAnotherPrefixIsRefused() throws IOException {
    provision("t", 1);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
    var refusal = assertThrows(IOException.class, () -> provision("x", 1));
    assertTrue(refusal.getMessage().contains("another file"), refusal.getMessage());
  }

  /** Runs the mode with the home in the environment, as loader.sh does. */
  private Options runMode(Path home, String... more) {
    var line = new ArrayList<>(List.of("-mode", "provision", "-token", "token"));
    line.addAll(List.of("-state-url", "http://127.0.0.1:" + server.port()));
    line.addAll(List.of(more));
    var options = ProvisionMode.OPTIONS.parse(line.toArray(String[]::new));
    var out = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    var environment = Map.of("QUEENCELL_HOME", home.toString());
    assertEquals(0, ProvisionMode.run(options, environment, out, () -> false));
    return options;
  }

  private Path home(String name) throws IOException {
    var home = Files.createDirectory(directory.resolve(name));
    Files.writeString(home.resolve("cell.env"), "QUEENCELL_CELL_SLUG='bench'\n");
    return home;
  }

  @Test
  void twoCellsKeepTheirTenantsApartAndANamedFileWins() throws IOException {
    var one = home("one");
    var two = home("two");
    runMode(one, "-tenants", "2");
    runMode(two, "-tenants", "1", "-prefix", "u");
    assertEquals(2, TenantsFile.read(one.resolve("tenants.json")).size());
    assertEquals("u0", TenantsFile.read(two.resolve("tenants.json")).getFirst().tenant());
    runMode(one, "-tenants", "3", "-prefix", "v", "-file", file().toString());
    assertEquals(3, TenantsFile.read(file()).size());
    assertEquals(2, TenantsFile.read(one.resolve("tenants.json")).size());
  }

  @Test
  void theHelpListsNothingThatTheModeDoesNotRead() throws IOException {
    assertEquals(List.of(), runMode(home("one")).unread());
  }

  @Test
  void aFileThatIsNoTenantsFileIsLeftAlone() throws IOException {
    Files.writeString(file(), "{broken");
    assertThrows(IOException.class, () -> provision("t", 1));
    assertEquals("{broken", Files.readString(file()));
  }
}
