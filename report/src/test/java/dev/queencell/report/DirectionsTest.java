package dev.queencell.report;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class DirectionsTest {
  @Test
  void pagesKnowFiguresAndFiguresKnowPointsAndNothingPointsBack() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("command")
        .definedBy("dev.queencell.report")
        .layer("page")
        .definedBy("dev.queencell.report.page")
        .layer("figure")
        .definedBy("dev.queencell.report.figure")
        .layer("read")
        .definedBy("dev.queencell.report.read")
        .whereLayer("command")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("page")
        .mayOnlyBeAccessedByLayers("command")
        .whereLayer("figure")
        .mayOnlyBeAccessedByLayers("command", "page")
        .check(
            new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.queencell.report"));
  }
}
