package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The groups of cells on this machine. A group is named by its path below the top of the hierarchy:
 * {@code queencell} is a cell, {@code queencell/broker} one of its processes.
 *
 * <p>Every method fails with an {@link IllegalStateException} that names the file and the kernel's
 * reason. Stateless; two processes may use it at once.
 */
public abstract sealed class Cgroups permits CgroupsV1, CgroupsV2 {
  private static final Pattern CELL = Pattern.compile("queencell[a-z0-9_.-]{0,80}");
  private static final Pattern GROUP = Pattern.compile(CELL.pattern() + "(/[a-z0-9_.-]{1,80})?");

  /** An emptied group may stay busy for a moment. */
  private static final long REMOVE_DEADLINE_MS = 5_000;

  private static final long REMOVE_PAUSE_MS = 10;

  private final Kernel kernel;

  Cgroups(Kernel kernel) {
    this.kernel = kernel;
  }

  /** 1 or 2. */
  public abstract int version();

  /** The top folders of all hierarchies that a group is made in. */
  abstract List<Path> tops();

  /** Gets the tops ready for groups with caps. */
  abstract void prepareTops() throws IOException;

  /** Called for a new parent before its children are made. */
  abstract void prepareCell(String cell) throws IOException;

  abstract void writeCaps(String cell, Caps caps) throws IOException;

  /** The caps in force, read from the kernel. */
  public abstract Caps caps(String cell);

  /** What a group has used. */
  public abstract GroupUsage usage(String group);

  /** The folder whose list of processes counts. */
  abstract Path processFolder(String group);

  /**
   * Makes a cell's group with a child for each process, and caps it. What is there already stays.
   *
   * @throws IllegalStateException when the kernel refuses, also when it reads another cap back;
   *     nothing new is left then
   */
  public void create(String cell, List<String> children, Caps caps) {
    requireCell(cell);
    children.forEach(child -> requireGroup(cell + "/" + child));
    boolean isNew = !exists(cell);
    try {
      prepareTops();
      for (var top : tops()) {
        kernel.makeGroup(top.resolve(cell));
      }
      prepareCell(cell);
      for (var top : tops()) {
        for (var child : children) {
          kernel.makeGroup(top.resolve(cell).resolve(child));
        }
      }
      cap(cell, caps);
    } catch (IOException e) {
      removeIfNew(cell, isNew);
      throw new IllegalStateException("can't make the control group " + cell + ": " + text(e), e);
    } catch (IllegalStateException e) {
      removeIfNew(cell, isNew);
      throw e;
    }
  }

  /**
   * Changes the caps, also of a group in use, and checks what the kernel made of it.
   *
   * @throws IllegalStateException when it refuses (less memory than is in use and can't be freed)
   *     or reads another cap back
   */
  public void cap(String cell, Caps caps) {
    requireExisting(cell);
    try {
      writeCaps(cell, caps);
    } catch (IOException e) {
      throw new IllegalStateException("can't cap " + cell + ": " + text(e), e);
    }
    var inForce = caps(cell);
    boolean cpuHolds = Math.abs(inForce.cpus() - caps.cpus()) < 0.01;
    // The kernel rounds memory down to pages, of 64 KiB on some machines.
    boolean memoryHolds = Math.abs(inForce.memoryBytes() - caps.memoryBytes()) < 64 * 1024;
    if (!cpuHolds || !memoryHolds) {
      throw new IllegalStateException(
          "the kernel took the caps of %s but has %s instead of %s".formatted(cell, inForce, caps));
    }
  }

  /** The files that a process's number is written to, to put it into the group. */
  public List<Path> joinFiles(String group) {
    requireExisting(group);
    return tops().stream().map(top -> top.resolve(group).resolve("cgroup.procs")).toList();
  }

  /**
   * Puts a process, with all its threads, into a group. Children that it has stay where they are.
   */
  public void add(String group, long pid) {
    for (var file : joinFiles(group)) {
      try {
        kernel.write(file, Long.toString(pid));
      } catch (IOException e) {
        throw new IllegalStateException(
            "can't put process %d into %s: %s".formatted(pid, group, text(e)), e);
      }
    }
  }

  /** The processes in the group itself, not those in groups below it. */
  public List<Long> processes(String group) {
    return ControlFile.lines(processFolder(group).resolve("cgroup.procs")).stream()
        .map(Long::valueOf)
        .toList();
  }

  public boolean exists(String group) {
    return Files.isDirectory(processFolder(group));
  }

  /** Names of the groups below a cell's. */
  public List<String> children(String cell) {
    requireExisting(cell);
    try (Stream<Path> entries = Files.list(processFolder(cell))) {
      return entries
          .filter(Files::isDirectory)
          .map(entry -> entry.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException("can't list " + cell + ": " + text(e), e);
    }
  }

  /**
   * Removes a cell's groups, those below first, all of them or none. None there is no failure.
   *
   * @throws IllegalStateException naming the processes that are still in it
   */
  public void remove(String cell) {
    requireCell(cell);
    var folders = tops().stream().flatMap(top -> depthFirst(top.resolve(cell)).stream()).toList();
    for (var folder : folders) {
      var pids = ControlFile.lines(folder.resolve("cgroup.procs"));
      if (!pids.isEmpty()) {
        throw new IllegalStateException(
            "can't remove %s: processes in it: %s".formatted(folder, String.join(", ", pids)));
      }
    }
    folders.forEach(this::removeFolder);
  }

  final Kernel kernel() {
    return kernel;
  }

  private void removeIfNew(String cell, boolean isNew) {
    if (isNew) {
      try {
        remove(cell);
      } catch (IllegalStateException e) {
        // What stopped the making is the reason to tell; an empty group harms nobody.
      }
    }
  }

  private static List<Path> depthFirst(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var entries = Files.walk(folder)) {
      var folders = new ArrayList<>(entries.filter(Files::isDirectory).toList());
      return folders.reversed();
    } catch (IOException e) {
      throw new IllegalStateException("can't list " + folder + ": " + text(e), e);
    }
  }

  private void removeFolder(Path folder) {
    long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REMOVE_DEADLINE_MS);
    while (true) {
      try {
        kernel.removeGroup(folder);
        return;
      } catch (IOException e) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new IllegalStateException("can't remove %s: %s".formatted(folder, text(e)), e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REMOVE_PAUSE_MS));
      }
    }
  }

  private void requireExisting(String group) {
    requireGroup(group);
    if (!exists(group)) {
      throw new IllegalStateException(
          "no control group %s (%s)".formatted(group, processFolder(group)));
    }
  }

  private static void requireCell(String cell) {
    if (!CELL.matcher(cell).matches()) {
      throw new IllegalArgumentException(
          "group is '%s'; it takes queencell or queencell with letters, digits, '-', '_', '.'"
              .formatted(cell));
    }
  }

  private static void requireGroup(String group) {
    if (!GROUP.matcher(group).matches() || group.contains("..") || group.endsWith("/.")) {
      throw new IllegalArgumentException(
          "group is '%s'; it takes queencell… or queencell…/CHILD".formatted(group));
    }
  }

  private static String text(IOException e) {
    return e.getMessage() == null
        ? e.toString()
        : e.getClass().getSimpleName() + ": " + e.getMessage();
  }
}
