package io.odfix.workbench;

import com.github.javaparser.ast.body.TypeDeclaration;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The source files below the roots of one request. Parsed files are kept between requests and read
 * again as soon as their size or time of change differs.
 */
final class Sources {
  /** Characters of source whose trees are kept: a tree takes some fifty times as many bytes. */
  private static final int KEPT = 4 << 20;
  /** By path, encoding, size and time of change. */
  private static final Map<String, Source> CACHE = new LinkedHashMap<>(64, 0.75f, true);
  private static int held;

  final List<Path> roots = new ArrayList<>();
  private final String encoding;

  /** A class that is in no file, or null. */
  private final Source made;

  Sources(List<String> roots, String encoding, Api.Made made) {
    this.encoding = encoding;
    if (roots != null) {
      for (String r : roots) {
        this.roots.add(Paths.get(r).toAbsolutePath().normalize());
      }
    }
    if (this.roots.isEmpty()) {
      throw new Problem("no-roots", "no test source roots were given");
    }
    boolean some = made != null && made.statements != null && !made.statements.isEmpty();
    this.made = some ? Made.source(this.roots.get(0), made) : null;
  }

  /** The file that declares the top-level class, or null if no root has it. */
  Source topLevel(String pkg, String simple) {
    if (made != null && pkg.isEmpty() && simple.equals(Made.TYPE)) {
      return made;
    }
    for (Path root : roots) {
      Path dir = pkg.isEmpty() ? root : root.resolve(pkg.replace('.', '/'));
      Path file = dir.resolve(simple + ".java");
      if (Files.isRegularFile(file)) {
        return read(file);
      }
    }
    return null;
  }

  /** Looks for a second top-level class in the files of its package's folder. */
  Source secondary(String pkg, String simple) {
    Pattern declares = Pattern.compile("\\b(class|interface|enum|record)\\s+" + Pattern.quote(simple) + "\\b");
    for (Path root : roots) {
      Path dir = pkg.isEmpty() ? root : root.resolve(pkg.replace('.', '/'));
      if (!Files.isDirectory(dir)) {
        continue;
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(dir, "*.java")) {
        for (Path f : files) {
          Source s = mentions(f, declares) ? read(f) : null;
          if (s != null && declares(s, simple)) {
            return s;
          }
        }
      } catch (IOException e) {
        throw new Problem("unreadable", "cannot list " + dir + ": " + e.getMessage());
      }
    }
    return null;
  }

  private static boolean mentions(Path f, Pattern p) throws IOException {
    return Files.size(f) <= Source.MAX_BYTES
        && p.matcher(new String(Files.readAllBytes(f), java.nio.charset.StandardCharsets.ISO_8859_1)).find();
  }

  private static boolean declares(Source s, String simple) {
    for (TypeDeclaration<?> t : s.unit.getTypes()) {
      if (t.getNameAsString().equals(simple)) {
        return true;
      }
    }
    return false;
  }

  /** A file in another JVM language that seems to declare the class, or null. */
  Path foreign(String pkg, String simple) {
    for (Path root : roots) {
      for (String ext : new String[] {".kt", ".groovy", ".scala"}) {
        Path f = (pkg.isEmpty() ? root : root.resolve(pkg.replace('.', '/'))).resolve(simple + ext);
        Path flat = root.resolve(simple + ext);
        if (Files.isRegularFile(f) || Files.isRegularFile(flat)) {
          return Files.isRegularFile(f) ? f : flat;
        }
        // Kotlin's usual layout has its sources next to src/test/java.
        Path twin = root.resolveSibling(ext.substring(1).replace("kt", "kotlin")).resolve(root.relativize(f));
        if (Files.isRegularFile(twin)) {
          return twin;
        }
        // Files of Kotlin and Scala need not have the name of the class.
        for (Path dir : new Path[] {f.getParent(), root, twin.getParent()}) {
          Path other = declaring(dir, ext, simple);
          if (other != null) {
            return other;
          }
        }
      }
    }
    return null;
  }

  private static Path declaring(Path dir, String ext, String simple) {
    Pattern declares = Pattern.compile("\\b(class|object|interface|trait)\\s+" + Pattern.quote(simple) + "\\b");
    if (!Files.isDirectory(dir)) {
      return null;
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(dir, "*" + ext)) {
      for (Path f : files) {
        if (mentions(f, declares)) {
          return f;
        }
      }
    } catch (IOException e) {
      return null; // its language is then unknown
    }
    return null;
  }

  /** Reads a file below one of the roots. It refuses any other file. */
  Source read(Path file) {
    Path p = file.toAbsolutePath().normalize();
    if (roots.stream().noneMatch(p::startsWith)) {
      throw new Problem("outside", p + " is not below the test source roots; only test code is read and edited");
    }
    try {
      BasicFileAttributes a = Files.readAttributes(p, BasicFileAttributes.class);
      String key = p + "|" + encoding + "|" + a.size() + "|" + a.lastModifiedTime();
      synchronized (CACHE) {
        Source kept = CACHE.get(key);
        if (kept != null) {
          return kept;
        }
      }
      Source s = Source.read(p, encoding);
      keep(key, s);
      return s;
    } catch (IOException e) {
      throw new Problem("unreadable", "cannot read " + p + ": " + e.getMessage());
    }
  }

  private static void keep(String key, Source s) {
    synchronized (CACHE) {
      Source old = CACHE.put(key, s);
      held += s.text.length() - (old == null ? 0 : old.text.length());
      for (java.util.Iterator<Source> eldest = CACHE.values().iterator(); held > KEPT && CACHE.size() > 1;) {
        held -= eldest.next().text.length();
        eldest.remove();
      }
    }
  }
}
