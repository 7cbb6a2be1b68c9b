package dev.queencell.loader;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoaderArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.queencell.loader");

  private static final List<String> MODES =
      List.of("cloud", "throughput", "pipeline", "app", "order");

  /** Who may use a layer, beside the modes where it says so. */
  private static final Map<String, List<String>> USERS =
      Map.of(
          "merge", List.of("main"),
          "provision", List.of("main", "cloud"),
          "run", List.of("main", "modes"),
          "record", List.of("run", "merge", "modes"),
          "measure", List.of("run", "record", "provision", "merge", "modes"),
          "fault", List.of("run", "modes"),
          "account", List.of("run", "record", "fault", "modes"),
          "payload", List.of("run", "fault", "account", "modes"),
          "pace", List.of("run", "modes"),
          "options", List.of("main", "run", "provision", "merge", "modes"));

  @Test
  void dependenciesPointOneWay() {
    var layers = layeredArchitecture().consideringOnlyDependenciesInLayers();
    layers = layers.layer("main").definedBy("dev.queencell.loader");
    layers = layers.whereLayer("main").mayNotBeAccessedByAnyLayer();
    for (var mode : MODES) {
      layers = layers.layer(mode).definedBy("dev.queencell.loader." + mode);
      layers = layers.whereLayer(mode).mayOnlyBeAccessedByLayers("main");
    }
    for (var layer : USERS.keySet()) {
      layers = layers.layer(layer).definedBy("dev.queencell.loader." + layer);
    }
    for (var entry : USERS.entrySet()) {
      var users = new ArrayList<>(entry.getValue());
      if (users.remove("modes")) {
        users.addAll(MODES);
      }
      layers =
          layers.whereLayer(entry.getKey()).mayOnlyBeAccessedByLayers(users.toArray(String[]::new));
    }
    layers.check(CLASSES);
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
