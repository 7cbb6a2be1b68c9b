package dev.queencell.cell.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * As whom a process of the cell runs. Started by root, it runs as an unprivileged user with an
 * entry in the passwd database (PostgreSQL refuses to start otherwise); started by anybody else, as
 * that one.
 *
 * @param name the user to become; empty when the current one already is unprivileged
 */
public record ServiceUser(Optional<String> name) {
  /** Environment variable that picks the user when root starts a cell. */
  public static final String VARIABLE = "QUEENCELL_USER";

  private static final List<String> USUAL_NAMES = List.of("queencell", "postgres", "nobody");
  private static final Duration LOOKUP_DEADLINE = Duration.ofSeconds(10);

  /**
   * The user for this process: whom {@code QUEENCELL_USER} names, else the first of queencell,
   * postgres and nobody that exists.
   *
   * @throws IllegalStateException when this is root and there is nobody to become
   */
  public static ServiceUser resolve() {
    return named(Optional.ofNullable(System.getenv(VARIABLE)).filter(name -> !name.isBlank()));
  }

  /**
   * The same with the wanted name given; it only counts when this process is root.
   *
   * @throws IllegalStateException when root would stay root or the user does not exist
   */
  public static ServiceUser named(Optional<String> wanted) {
    if (!isRoot()) {
      return new ServiceUser(Optional.empty());
    }
    if (wanted.isPresent()) {
      var id = idOf(wanted.get());
      if (id.isEmpty() || id.get().equals("0")) {
        throw new IllegalStateException(
            "the service user is '%s'; it takes an existing user other than root (%s)"
                .formatted(wanted.get(), VARIABLE));
      }
      return new ServiceUser(wanted);
    }
    return USUAL_NAMES.stream()
        .filter(name -> idOf(name).isPresent())
        .findFirst()
        .map(name -> new ServiceUser(Optional.of(name)))
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "started by root, and none of the users %s exists to run as; name one with %s"
                        .formatted(String.join(", ", USUAL_NAMES), VARIABLE)));
  }

  /** The command line that runs {@code command} as this user, with no more rights than it has. */
  public List<String> wrap(List<String> command) {
    if (name.isEmpty()) {
      return command;
    }
    var wrapped =
        new ArrayList<>(
            List.of(
                "setpriv",
                "--reuid=" + name.get(),
                "--regid=" + groupOf(name.get()),
                "--clear-groups",
                "--inh-caps=-all",
                "--no-new-privs",
                "--"));
    wrapped.addAll(command);
    return wrapped;
  }

  /** Makes a file or folder (not what is in it) this user's own. */
  public void own(Path path) throws IOException {
    if (name.isPresent()) {
      var lookup = path.getFileSystem().getUserPrincipalLookupService();
      var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
      view.setOwner(lookup.lookupPrincipalByName(name.get()));
    }
  }

  /**
   * Checks that this user can reach a folder.
   *
   * @throws IllegalStateException naming the ancestor that is closed to it
   */
  public void requireReachable(Path folder) {
    if (name.isEmpty()) {
      return;
    }
    var user = name.get();
    for (var place = folder.toAbsolutePath(); place != null; place = place.getParent()) {
      try {
        var attributes = Files.readAttributes(place, PosixFileAttributes.class);
        boolean open =
            attributes.permissions().contains(PosixFilePermission.OTHERS_EXECUTE)
                || attributes.owner().getName().equals(user)
                || (attributes.permissions().contains(PosixFilePermission.GROUP_EXECUTE)
                    && attributes.group().getName().equals(groupNameOf(user)));
        if (!open) {
          throw new IllegalStateException(
              "user '%s' can't enter %s and so not reach %s; open it or choose another place"
                  .formatted(user, place, folder));
        }
      } catch (IOException e) {
        throw new IllegalStateException("can't look at " + place + ": " + e, e);
      }
    }
  }

  /** Whether this process is root's. */
  public static boolean isRoot() {
    try {
      return ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid")) == 0;
    } catch (IOException e) {
      throw new IllegalStateException("can't tell who runs this: " + e, e);
    }
  }

  private static Optional<String> idOf(String user) {
    return ask("-u", user);
  }

  private static String groupOf(String user) {
    return ask("-g", user).orElseThrow(() -> new IllegalStateException("no user '" + user + "'"));
  }

  private static String groupNameOf(String user) {
    return ask("-gn", user).orElseThrow(() -> new IllegalStateException("no user '" + user + "'"));
  }

  private static Optional<String> ask(String option, String user) {
    try {
      return Stream.of(Command.run(List.of("id", option, "--", user), "", LOOKUP_DEADLINE).strip())
          .filter(text -> !text.isEmpty())
          .findFirst();
    } catch (IllegalStateException e) {
      return Optional.empty();
    }
  }
}
