package dev.queencell.tidy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The files that git tracks here, read once. */
final class Repository {
  private static final String EXECUTABLE_MODE = "100755";
  private static final String LINK_MODE = "120000";

  private final Path root;
  private final List<Tracked> texts;
  private final List<String> binaries;

  private Repository(Path root, List<Tracked> texts, List<String> binaries) {
    this.root = root;
    this.texts = List.copyOf(texts);
    this.binaries = List.copyOf(binaries);
  }

  /** Reads the repository that this module lies in. */
  static Repository read() throws IOException, InterruptedException {
    var root = root();
    var texts = new ArrayList<Tracked>();
    var binaries = new ArrayList<String>();
    // Each entry: mode, object, stage, a tab, the path; ended by a zero byte.
    for (var entry : git(root, "ls-files", "--stage", "-z").split("\0", -1)) {
      int tab = entry.indexOf('\t');
      if (tab < 0 || entry.startsWith(LINK_MODE)) {
        continue;
      }
      var path = entry.substring(tab + 1);
      var file = root.resolve(path);
      // A file that is deleted and not yet committed is no file any more.
      if (Files.exists(file)) {
        var text = text(Files.readAllBytes(file));
        if (text.isPresent()) {
          texts.add(new Tracked(path, entry.startsWith(EXECUTABLE_MODE), text.get()));
        } else {
          binaries.add(path);
        }
      }
    }
    return new Repository(root, texts, binaries);
  }

  Path folder() {
    return root;
  }

  List<Tracked> texts() {
    return texts;
  }

  /** Paths of files that are no UTF-8 text. */
  List<String> binaries() {
    return binaries;
  }

  private static Path root() {
    var folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve(".git"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException("these checks need a git checkout");
      }
    }
    return folder;
  }

  private static Optional<String> text(byte[] bytes) {
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf('\0') < 0 ? Optional.of(text) : Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private static String git(Path root, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("git", "-C", root.toString()));
    command.addAll(List.of(arguments));
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IllegalStateException("git failed: " + String.join(" ", command));
    }
    return output;
  }
}
