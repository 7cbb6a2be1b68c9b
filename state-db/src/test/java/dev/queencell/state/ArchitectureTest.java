package dev.queencell.state;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.queencell.state");

  @Test
  void packagesPointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("main")
        .definedBy("dev.queencell.state")
        .layer("http")
        .definedBy("dev.queencell.state.http")
        .layer("edge")
        .definedBy("dev.queencell.state.edge")
        .layer("session")
        .definedBy("dev.queencell.state.session")
        .layer("usage")
        .definedBy("dev.queencell.state.usage")
        .layer("quota")
        .definedBy("dev.queencell.state.quota")
        .layer("purge")
        .definedBy("dev.queencell.state.purge")
        .layer("broker")
        .definedBy("dev.queencell.state.broker")
        .layer("control")
        .definedBy("dev.queencell.state.control")
        .layer("policy")
        .definedBy("dev.queencell.state.policy")
        .layer("store")
        .definedBy("dev.queencell.state.store")
        .whereLayer("main")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("http")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("edge")
        .mayOnlyBeAccessedByLayers("http", "session", "main")
        .whereLayer("session")
        .mayOnlyBeAccessedByLayers("http", "main")
        .whereLayer("usage")
        .mayOnlyBeAccessedByLayers("http", "main", "session")
        .whereLayer("purge")
        .mayOnlyBeAccessedByLayers("http", "main")
        .whereLayer("broker")
        .mayOnlyBeAccessedByLayers("http")
        .whereLayer("quota")
        .mayOnlyBeAccessedByLayers("http")
        .whereLayer("control")
        .mayOnlyBeAccessedByLayers(
            "http", "main", "edge", "session", "usage", "quota", "purge", "broker")
        .whereLayer("policy")
        .mayOnlyBeAccessedByLayers("http", "edge", "control", "session", "usage", "quota")
        .check(CLASSES);
  }

  @Test
  void noPackagesFormACycle() {
    slices().matching("dev.queencell.state.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
