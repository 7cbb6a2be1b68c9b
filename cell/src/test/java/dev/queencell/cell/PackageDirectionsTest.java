package dev.queencell.cell;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Dependencies point one way: the entry point knows the subcommands, those know what they are made
 * of, and {@code output} and {@code process} know nobody.
 */
class PackageDirectionsTest {
  private static final String ROOT = "dev.queencell.cell";
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(ROOT);

  @Test
  void packagesDoNotDependOnEachOtherInCircles() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void nothingPointsBackToTheEntryPoint() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(ROOT)
        .check(CLASSES);
  }

  @Test
  void printingAndChildProcessesKnowNoDuty() {
    uses("output");
    uses("process");
  }

  @Test
  void eachDutyUsesOnlyWhatItIsMadeOf() {
    uses("plan", "output");
    uses("cgroup", "output");
    uses("postgres", "process");
    uses("sql", "postgres", "output");
    uses("home");
    uses("relay");
    uses("sample", "cgroup", "home", "output");
    uses("summary", "sample", "output");
    uses("series", "output");
    uses("soak", "sample", "output");
  }

  @Test
  void commandsPrintToTheWritersThatTheyAreGiven() {
    noClasses()
        .should()
        .accessField(System.class, "out")
        .because("tests give a command its own writers")
        .check(CLASSES);
  }

  /** Of the cell's packages, the given one depends on itself and the listed ones only. */
  private static void uses(String duty, String... others) {
    classes()
        .that()
        .resideInAPackage(ROOT + "." + duty + "..")
        .should()
        .onlyDependOnClassesThat(
            DescribedPredicate.describe(
                "are no other duty of the cell's",
                target ->
                    !target.getPackageName().startsWith(ROOT)
                        || isAllowed(target.getPackageName(), duty, others)))
        .check(CLASSES);
  }

  private static boolean isAllowed(String packageName, String duty, String... others) {
    return Stream.concat(Stream.of(duty), Stream.of(others))
        .anyMatch(name -> packageName.equals(ROOT + "." + name));
  }
}
