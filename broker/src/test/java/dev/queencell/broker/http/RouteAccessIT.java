package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.broker.auth.AccessLevel;
import dev.queencell.broker.auth.AccessTable;
import dev.queencell.broker.auth.Role;
import dev.queencell.broker.auth.Tokens;
import dev.queencell.broker.crypto.PayloadCipher;
import dev.queencell.broker.engine.CellEngine;
import dev.queencell.broker.engine.Neighbour;
import dev.queencell.testsupport.TestDatabase;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every route that is registered, asked by every role. */
class RouteAccessIT {
  @RegisterExtension static final TestDatabase DATABASE = TestDatabase.empty();

  private static final Map<String, Role> ROLES =
      Map.of(
          "admin", Role.ADMIN,
          "read-write", Role.READ_WRITE,
          "read-only", Role.READ_ONLY,
          "write-only", Role.WRITE_ONLY);

  private static CellEngine engine;
  private static ApiFixture api;

  /** Has the queue, partition and group by whose names every route is asked. */
  private static Neighbour neighbour;

  @BeforeAll
  static void start() {
    engine = ApiFixture.engineOn(DATABASE);
    var auth = Tokens.config("HS256", Tokens.SECRET, null, null);
    var gates = new GatesFixture(engine, null, GatesFixture.switches(), auth, PayloadCipher.NONE);
    api = new ApiFixture(engine, gates);
    neighbour = new Neighbour(() -> engine);
    neighbour.push("x", "x");
    neighbour.pop("x", "x");
  }

  @AfterAll
  static void end() {
    neighbour.check();
    engine.close();
    api.close();
  }

  private static int call(String method, String path, String token) {
    var request = api.request(path).method(method, BodyPublishers.ofString("{}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return api.send(request).status();
  }

  @Test
  void everyRegisteredRouteLetsInExactlyTheRolesOfItsLevel() {
    var wrong = new ArrayList<String>();
    for (var route : api.routes()) {
      var path = route.path().replaceAll("\\{[^}]*}", "x").replaceAll("<[^>]*>", "x");
      var level = AccessTable.levelOf(route.method(), path);
      boolean open = level == AccessLevel.PUBLIC;
      if ((call(route.method(), path, null) == 401) == open) {
        wrong.add(route + " without a token");
      }
      ROLES.forEach(
          (name, role) -> {
            boolean letIn = call(route.method(), path, Tokens.of(name)) != 403;
            if (letIn != role.satisfies(level)) {
              wrong.add(route + " as " + name);
            }
          });
    }
    assertTrue(api.routes().size() > 20, "routes are listed");
    assertEquals(List.of(), wrong);
  }
}
