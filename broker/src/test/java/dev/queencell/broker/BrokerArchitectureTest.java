package dev.queencell.broker;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class BrokerArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.queencell.broker");

  @Test
  void dependenciesPointFromHttpOverEngineAndJournalToStore() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("process")
        .definedBy("dev.queencell.broker")
        .layer("http")
        .definedBy("dev.queencell.broker.http..")
        .layer("engine")
        .definedBy("dev.queencell.broker.engine..")
        .layer("journal")
        .definedBy("dev.queencell.broker.journal..")
        .layer("store")
        .definedBy("dev.queencell.broker.store..")
        .whereLayer("process")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("http")
        .mayOnlyBeAccessedByLayers("process")
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("process", "http")
        .whereLayer("journal")
        .mayOnlyBeAccessedByLayers("engine")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("http", "engine", "journal")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.queencell.broker.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
