package dev.queencell.loader;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class LoaderArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.queencell.loader");

  @Test
  void dependenciesPointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("main")
        .definedBy("dev.queencell.loader")
        .layer("cloud")
        .definedBy("dev.queencell.loader.cloud")
        .layer("throughput")
        .definedBy("dev.queencell.loader.throughput")
        .layer("order")
        .definedBy("dev.queencell.loader.order")
        .layer("merge")
        .definedBy("dev.queencell.loader.merge")
        .layer("pipeline")
        .definedBy("dev.queencell.loader.pipeline")
        .layer("app")
        .definedBy("dev.queencell.loader.app")
        .layer("provision")
        .definedBy("dev.queencell.loader.provision")
        .layer("run")
        .definedBy("dev.queencell.loader.run")
        .layer("record")
        .definedBy("dev.queencell.loader.record")
        .layer("measure")
        .definedBy("dev.queencell.loader.measure")
        .layer("fault")
        .definedBy("dev.queencell.loader.fault")
        .layer("account")
        .definedBy("dev.queencell.loader.account")
        .layer("payload")
        .definedBy("dev.queencell.loader.payload")
        .layer("pace")
        .definedBy("dev.queencell.loader.pace")
        .layer("options")
        .definedBy("dev.queencell.loader.options")
        .whereLayer("main")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("cloud")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("throughput")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("order")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("merge")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("pipeline")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("app")
        .mayOnlyBeAccessedByLayers("main")
        .whereLayer("provision")
        .mayOnlyBeAccessedByLayers("main", "cloud")
        .whereLayer("run")
        .mayOnlyBeAccessedByLayers(
            "main", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("record")
        .mayOnlyBeAccessedByLayers(
            "run", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("measure")
        .mayOnlyBeAccessedByLayers(
            "run",
            "record",
            "provision",
            "cloud",
            "throughput",
            "order",
            "merge",
            "pipeline",
            "app")
        .whereLayer("fault")
        .mayOnlyBeAccessedByLayers(
            "run", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("account")
        .mayOnlyBeAccessedByLayers(
            "run", "record", "fault", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("payload")
        .mayOnlyBeAccessedByLayers(
            "run", "fault", "account", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("pace")
        .mayOnlyBeAccessedByLayers(
            "run", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .whereLayer("options")
        .mayOnlyBeAccessedByLayers(
            "main", "run", "provision", "cloud", "throughput", "order", "merge", "pipeline", "app")
        .check(CLASSES);
  }

  @Test
  void whatJudgesAndWhatPacesKnowsNoNetwork() {
    noClasses()
        .that()
        .resideInAnyPackage("..pace..", "..account..", "..payload..", "..fault..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.queencell.client..", "java.net..", "java.io..")
        .check(CLASSES);
  }

  @Test
  void theProductsClientIsTheOnlyWayOut() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net.http..", "org.apache.hc..", "java.sql..")
        .check(CLASSES);
  }
}
