package dev.queencell.tidy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Which module may know which, over the classes of all of them. The services meet by HTTP only;
 * what they have in common is {@code service}, and that knows none of them.
 */
class ModuleDirectionsTest {
  private static final String ROOT = "dev.queencell.";

  /** Each module's package with those of other modules that it may use. */
  private static final Map<String, List<String>> ALLOWED =
      Map.of(
          "service", List.of(),
          "cell", List.of(),
          "client", List.of(),
          "broker", List.of("service"),
          "state", List.of("service"),
          "proxy", List.of("service"),
          "loader", List.of("client", "service"),
          "report", List.of("cell"));

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.queencell");

  @Test
  void everyModuleUsesOnlyThoseItMayKnow() {
    ALLOWED.forEach(
        (module, others) -> {
          var own = CLASSES.that(isIn(module));
          assertFalse(own.isEmpty(), () -> "no classes of " + module + " on the class path");
          classes()
              .should()
              .onlyDependOnClassesThat(
                  DescribedPredicate.describe(
                      "are in %s or %s".formatted(module, others),
                      target ->
                          !target.getPackageName().startsWith(ROOT)
                              || isIn(module).test(target)
                              || others.stream().anyMatch(other -> isIn(other).test(target))))
              .check(own);
        });
  }

  private static DescribedPredicate<JavaClass> isIn(String module) {
    return DescribedPredicate.describe(
        "are in " + module,
        target -> (target.getPackageName() + ".").startsWith(ROOT + module + "."));
  }
}
