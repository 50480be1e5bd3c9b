package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Small sources, compiled into a folder. */
final class ClassesOnDisk {
  private final Path root;
  private final Map<String, String> sources = new LinkedHashMap<>();
  /** The Java release that they are compiled for; empty: this one. */
  String release = "";
  /** Jars that they are compiled with. */
  final List<String> libraries = new ArrayList<>();

  ClassesOnDisk(Path root) {
    this.root = root;
  }

  void add(String path, String text) {
    sources.put(path, text);
  }

  /** Compiles everything, adds it to the project, and reads it. */
  Types compiled(Api.Project p) throws IOException {
    Api.CompileRequest c = new Api.CompileRequest();
    for (Map.Entry<String, String> e : sources.entrySet()) {
      Path file = root.resolve("src").resolve(e.getKey());
      Files.createDirectories(file.getParent());
      Files.write(file, e.getValue().getBytes("UTF-8"));
      c.files.put(file.toString(), e.getValue());
    }
    Path out = Files.createDirectories(root.resolve("classes"));
    c.outDir = out.toString();
    c.options.args = release.isEmpty() ? new ArrayList<>() : Arrays.asList("--release", release);
    c.options.classPath = new ArrayList<>(Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator)));
    c.options.classPath.addAll(libraries);
    Api.Compiled done = new Compiler().compile(c);
    assertTrue(done.ok, () -> done.diagnostics.stream().map(d -> d.message).collect(Collectors.joining("\n")));
    p.sourceRoots = Arrays.asList(root.resolve("src").toString());
    p.classPath = new ArrayList<>(libraries);
    p.classPath.add(0, out.toString());
    return new Types(new Sources(p.sourceRoots, "", null), new ClassPath(p.classPath));
  }

  /** Compiles everything into a jar. */
  String jar() throws IOException {
    compiled(new Api.Project());
    Path classes = root.resolve("classes");
    Path jar = root.resolve("library.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.walk(classes)) {
      for (Path f : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
        zip.putNextEntry(new ZipEntry(classes.relativize(f).toString().replace(File.separatorChar, '/')));
        Files.copy(f, zip);
      }
    }
    return jar.toString();
  }
}
