package dev.queencell.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** How long Java files and methods are, as the compiler's own parser sees them. */
final class JavaSizes {
  static final int FILE_LINES_MAX = 450;
  static final int METHOD_LINES_MAX = 70;

  private JavaSizes() {}

  /**
   * What is too long: {@code path} for a file, {@code path#method} for a method, each once.
   *
   * @param files Java sources that parse
   */
  static Set<String> tooLong(List<Tracked> files) throws IOException {
    var found = new TreeSet<String>();
    for (var file : files) {
      if (file.lines().size() > FILE_LINES_MAX) {
        found.add(file.path());
      }
    }
    found.addAll(longMethods(files));
    return found;
  }

  private static List<String> longMethods(List<Tracked> files) throws IOException {
    var found = new ArrayList<String>();
    var sources = files.stream().map(Source::new).toList();
    var task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, diagnostic -> {}, List.of("-proc:none"), null, sources);
    var trees = Trees.instance(task);
    for (var unit : task.parse()) {
      new TreePathScanner<Void, Void>() {
        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
          if (length(trees, unit, method) > METHOD_LINES_MAX) {
            found.add(path(unit) + "#" + method.getName());
          }
          return super.visitMethod(method, null);
        }
      }.scan(unit, null);
    }
    return found;
  }

  private static long length(Trees trees, CompilationUnitTree unit, MethodTree method) {
    var positions = trees.getSourcePositions();
    var lines = unit.getLineMap();
    long first = lines.getLineNumber(positions.getStartPosition(unit, method));
    long last = lines.getLineNumber(positions.getEndPosition(unit, method));
    return last - first + 1;
  }

  private static String path(CompilationUnitTree unit) {
    return unit.getSourceFile().toUri().getPath().substring(1);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    private Source(Tracked file) {
      super(URI.create("string:///" + file.path()), JavaFileObject.Kind.SOURCE);
      this.text = file.text();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
