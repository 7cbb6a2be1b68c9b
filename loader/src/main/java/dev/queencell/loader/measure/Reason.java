package dev.queencell.loader.measure;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Why a file could not be read or written, in words instead of the names of Java's classes. */
public final class Reason {
  private Reason() {}

  /** One line that names the file where the failure does. */
  public static String of(IOException failure) {
    return switch (failure) {
      case NoSuchFileException e -> "no such file or directory: " + e.getFile();
      case AccessDeniedException e -> "permission denied: " + e.getFile();
      case FileAlreadyExistsException e -> "there is a file already: " + e.getFile();
      case NotDirectoryException e -> "no directory: " + e.getFile();
      case FileSystemException e ->
          (e.getReason() == null ? "" : e.getReason() + ": ") + e.getFile();
      default -> failure.getMessage() == null ? "input or output failed" : failure.getMessage();
    };
  }
}
