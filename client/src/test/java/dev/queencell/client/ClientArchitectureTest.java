package dev.queencell.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ClientArchitectureTest {
  @Test
  void onlyOneClassKnowsTheHttpLibraryUnderneath() {
    var classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.queencell.client");
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.HttpExchange(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hc..")
        .check(classes);
  }
}
