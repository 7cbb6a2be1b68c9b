package dev.queencell.proxy;

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
          .importPackages("dev.queencell.proxy");

  @Test
  void packagesPointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("main")
        .definedBy("dev.queencell.proxy")
        .layer("edge")
        .definedBy("dev.queencell.proxy.edge")
        .layer("limit")
        .definedBy("dev.queencell.proxy.limit")
        .layer("directory")
        .definedBy("dev.queencell.proxy.directory")
        .layer("inventory")
        .definedBy("dev.queencell.proxy.inventory")
        .layer("meter")
        .definedBy("dev.queencell.proxy.meter")
        .layer("route")
        .definedBy("dev.queencell.proxy.route")
        .layer("body")
        .definedBy("dev.queencell.proxy.body")
        .layer("upstream")
        .definedBy("dev.queencell.proxy.upstream")
        .layer("metrics")
        .definedBy("dev.queencell.proxy.metrics")
        .whereLayer("main")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("edge")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("limit")
        .mayOnlyBeAccessedByLayers("inventory", "edge", "main")
        .whereLayer("inventory")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("meter")
        .mayOnlyBeAccessedByLayers("edge", "main")
        .whereLayer("directory")
        .mayOnlyBeAccessedByLayers("limit", "inventory", "meter", "edge", "main")
        .whereLayer("route")
        .mayOnlyBeAccessedByLayers("directory", "edge")
        .whereLayer("body")
        .mayOnlyBeAccessedByLayers("edge")
        .whereLayer("upstream")
        .mayOnlyBeAccessedByLayers("inventory", "edge", "main")
        .whereLayer("metrics")
        .mayOnlyBeAccessedByLayers("edge", "main")
        .check(CLASSES);
  }

  @Test
  void noPackagesFormACycle() {
    slices().matching("dev.queencell.proxy.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
