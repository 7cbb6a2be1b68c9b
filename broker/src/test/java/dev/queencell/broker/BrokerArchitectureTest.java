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
        .layer("spool")
        .definedBy("dev.queencell.broker.spool..")
        .layer("maintenance")
        .definedBy("dev.queencell.broker.maintenance..")
        .layer("auth")
        .definedBy("dev.queencell.broker.auth..")
        .layer("crypto")
        .definedBy("dev.queencell.broker.crypto..")
        .whereLayer("process")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("http")
        .mayOnlyBeAccessedByLayers("process")
        .whereLayer("engine")
        .mayOnlyBeAccessedByLayers("process", "http", "spool")
        .whereLayer("spool")
        .mayOnlyBeAccessedByLayers("process", "http")
        .whereLayer("maintenance")
        .mayOnlyBeAccessedByLayers("process", "http")
        .whereLayer("auth")
        .mayOnlyBeAccessedByLayers("process", "http")
        .whereLayer("crypto")
        .mayOnlyBeAccessedByLayers("process", "http", "engine", "spool")
        .whereLayer("journal")
        .mayOnlyBeAccessedByLayers("process", "engine")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers("process", "http", "spool", "maintenance", "engine", "journal")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("dev.queencell.broker.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
