package dev.queencell.cell.cgroup;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How groups are changed: a folder made or removed, a line written to a control file. A seam,
 * because on the real file system the kernel fills a new folder with control files; a test's
 * stand-in does that itself.
 */
interface Kernel {
  /** The kernel of this machine. */
  Kernel REAL =
      new Kernel() {
        @Override
        public void makeGroup(Path folder) throws IOException {
          try {
            Files.createDirectory(folder);
          } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
              throw e;
            }
          }
        }

        @Override
        public void removeGroup(Path folder) throws IOException {
          Files.deleteIfExists(folder);
        }

        @Override
        public void write(Path file, String line) throws IOException {
          Files.writeString(file, line + "\n", StandardOpenOption.WRITE);
        }
      };

  /** Makes a group; one that is there already is no failure. */
  void makeGroup(Path folder) throws IOException;

  /** Removes a group without processes and children; none there is no failure. */
  void removeGroup(Path folder) throws IOException;

  /** Gives a control file one line; the kernel takes or refuses it as a whole. */
  void write(Path file, String line) throws IOException;
}
