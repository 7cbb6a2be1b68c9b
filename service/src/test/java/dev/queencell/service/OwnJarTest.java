package dev.queencell.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnJarTest {
  private static final String SHA_256_OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @TempDir private Path folder;

  @Test
  void theHashIsThatOfTheFileThatWasThereAtTheStart() throws IOException {
    var place = Files.writeString(folder.resolve("service.jar"), "abc");
    var jar = OwnJar.of(place);
    Files.move(place, folder.resolve("old.jar"));
    Files.writeString(place, "what was installed since");
    assertEquals(SHA_256_OF_ABC, jar.sha256());
    assertEquals(SHA_256_OF_ABC, jar.sha256(), "asked again");
  }

  @Test
  void classesThatComeFromAFolderHaveNone() throws IOException {
    assertEquals("", OwnJar.of(folder).sha256());
  }

  @Test
  void inJsonItIsTheHash() throws IOException {
    var jar = OwnJar.of(Files.writeString(folder.resolve("service.jar"), "abc"));
    assertEquals(SHA_256_OF_ABC, Json.mapper().valueToTree(jar).stringValue());
  }
}
