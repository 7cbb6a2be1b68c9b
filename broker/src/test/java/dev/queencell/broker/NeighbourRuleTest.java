package dev.queencell.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Every integration test lets a second tenant with the same names work beside the first: by the
 * engine's fixture, which brings one and fails when it was given nothing to do, or by a field named
 * {@code neighbour} that the test uses.
 */
class NeighbourRuleTest {
  private static final Map<String, String> ALONE_WITH_REASON =
      Map.of(
          "HotStatementsIT", "explains statements on rows of partitions; nobody has them",
          "SilentClientIT", "parks pops at an engine without messages; nobody could see another's");

  private static final String FIXTURE = "EngineFixture";

  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(new ImportOption.OnlyIncludeTests())
          .importPackages("dev.queencell.broker");

  @Test
  void everyIntegrationTestHasASecondTenantButThoseListed() {
    var tests = TESTS.stream().filter(type -> type.getSimpleName().endsWith("IT")).toList();
    var alone =
        tests.stream()
            .filter(type -> !hasNeighbour(type))
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(new TreeSet<>(ALONE_WITH_REASON.keySet()), alone);
    assertTrue(tests.size() > ALONE_WITH_REASON.size(), "tests were found");
  }

  private static boolean hasNeighbour(JavaClass test) {
    return test.getConstructorCallsFromSelf().stream()
            .anyMatch(call -> call.getTargetOwner().getSimpleName().equals(FIXTURE))
        || test.getFieldAccessesFromSelf().stream()
            .anyMatch(
                access ->
                    access.getAccessType() == JavaFieldAccess.AccessType.GET
                        && access.getTargetOwner().equals(test)
                        && access.getName().replaceFirst("S$", "").equalsIgnoreCase("neighbour"));
  }
}
