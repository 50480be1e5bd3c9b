package io.odfix.workbench;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Finds class files by name. A jar is indexed again only if its size or time of change differs.
 * Folders are read each time, because tests are compiled into them while the workbench runs.
 */
final class ClassPath {
  private static final Map<String, Jar> JARS = new ConcurrentHashMap<>();
  private static final Map<String, TypeInfo> PLATFORM = new ConcurrentHashMap<>();
  /** The maximal number of class files of folders that are read. */
  private static final int MOST = 20_000;
  private static final TypeInfo NONE = new TypeInfo("", 0);

  private static final class Jar {
    final Path file;
    final long stamp;
    final Set<String> names = new HashSet<>();
    final Map<String, TypeInfo> read = new ConcurrentHashMap<>();

    Jar(Path file, long stamp) {
      this.file = file;
      this.stamp = stamp;
    }
  }

  private final List<Path> folders = new ArrayList<>();
  private final List<Jar> jars = new ArrayList<>();

  ClassPath(List<String> entries) {
    if (entries == null) {
      return;
    }
    for (String e : entries) {
      File f = new File(e);
      if (f.isDirectory()) {
        folders.add(f.toPath());
      } else if (f.isFile()) {
        jars.add(jar(f));
      }
    }
  }

  private static Jar jar(File f) {
    long stamp = f.length() * 31 + f.lastModified();
    Jar known = JARS.get(f.getPath());
    if (known != null && known.stamp == stamp) {
      return known;
    }
    Jar jar = new Jar(f.toPath(), stamp);
    try (ZipFile zip = new ZipFile(f)) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
        jar.names.add(all.nextElement().getName());
      }
    } catch (IOException e) {
      jar.names.clear(); // javac ignores a file that is not a jar, and reports it itself
    }
    JARS.put(f.getPath(), jar);
    return jar;
  }

  /** Whether any entry contains the file. */
  boolean holds(String name) {
    return folders.stream().anyMatch(d -> Files.isRegularFile(d.resolve(name)))
        || jars.stream().anyMatch(j -> j.names.contains(name));
  }

  /**
   * Passes on the class files of all folders, and of the jar with the class, if there is one. Only
   * those of the jar that mention the class are read. The flag is true for a file in a folder.
   */
  void each(String internal, BiConsumer<byte[], Boolean> use) throws IOException {
    int left = MOST;
    for (Path d : folders) {
      List<Path> files;
      try (Stream<Path> all = Files.walk(d)) {
        files = all.filter(f -> f.toString().endsWith(".class")).limit(left).collect(Collectors.toList());
      }
      left -= files.size();
      for (Path f : files) {
        use.accept(Files.readAllBytes(f), true);
      }
    }
    for (Jar j : jars) {
      if (j.names.contains(internal + ".class")) {
        mentioning(j, internal, use);
        return;
      }
    }
  }

  private static void mentioning(Jar j, String internal, BiConsumer<byte[], Boolean> use) throws IOException {
    byte[] wanted = internal.getBytes(StandardCharsets.UTF_8);
    try (ZipFile zip = new ZipFile(j.file.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements();) {
        ZipEntry e = all.nextElement();
        if (e.getName().endsWith(".class") && !e.getName().startsWith("META-INF/")) {
          byte[] bytes;
          try (InputStream in = zip.getInputStream(e)) {
            bytes = all(in);
          }
          if (holds(bytes, wanted)) {
            use.accept(bytes, false);
          }
        }
      }
    }
  }

  private static boolean holds(byte[] bytes, byte[] wanted) {
    for (int i = 0; i + wanted.length <= bytes.length; i++) {
      int k = 0;
      while (k < wanted.length && bytes[i + k] == wanted[k]) {
        k++;
      }
      if (k == wanted.length) {
        return true;
      }
    }
    return false;
  }

  /** The class of that binary name, or null; the JDK's own classes are always found. */
  TypeInfo find(String binary) {
    String name = binary.replace('.', '/') + ".class";
    for (Path d : folders) {
      Path f = d.resolve(name);
      if (Files.isRegularFile(f)) {
        try {
          TypeInfo t = read(Files.readAllBytes(f), name);
          return t == NONE ? null : t;
        } catch (IOException e) {
          return null;
        }
      }
    }
    for (Jar j : jars) {
      if (j.names.contains(name)) {
        TypeInfo t = j.read.computeIfAbsent(name, n -> fromJar(j, n));
        return t == NONE ? null : t;
      }
    }
    return platform(binary);
  }

  /** The JDK's class of that binary name, or null. */
  static TypeInfo platform(String binary) {
    TypeInfo t = PLATFORM.computeIfAbsent(binary.replace('.', '/') + ".class", ClassPath::fromPlatform);
    return t == NONE ? null : t;
  }

  /** The class of a jar with the code of its methods, or null. */
  CompiledClass code(String binary) {
    return inJar(binary.replace('.', '/') + ".class", CompiledClass::read);
  }

  /** The class of a jar, or else of what this JVM has, such as the JDK, without the code of its methods; or null. */
  CompiledClass members(String internal) {
    String name = internal + ".class";
    if (name.startsWith("io/odfix/") || jars.stream().anyMatch(j -> j.names.contains(name))) {
      return inJar(name, CompiledClass::readMembers);
    }
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name)) {
      return in == null ? null : CompiledClass.readMembers(all(in));
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  private CompiledClass inJar(String name, Function<byte[], CompiledClass> read) {
    for (Jar j : jars) {
      if (j.names.contains(name)) {
        try (ZipFile zip = new ZipFile(j.file.toFile()); InputStream in = zip.getInputStream(zip.getEntry(name))) {
          return read.apply(all(in));
        } catch (IOException | RuntimeException e) {
          return null;
        }
      }
    }
    return null;
  }

  /** The class of a file. A file with another class than its name says is none, as for javac. */
  private static TypeInfo read(byte[] bytes, String name) {
    CompiledClass c = CompiledClass.readMembers(bytes);
    return c == null || !name.equals(c.name + ".class") ? NONE : TypeInfo.of(c);
  }

  private static TypeInfo fromJar(Jar j, String name) {
    try (ZipFile zip = new ZipFile(j.file.toFile()); InputStream in = zip.getInputStream(zip.getEntry(name))) {
      return read(all(in), name);
    } catch (IOException | RuntimeException e) {
      return NONE;
    }
  }

  private static TypeInfo fromPlatform(String name) {
    if (name.startsWith("io/odfix/")) {
      return NONE;
    }
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name)) {
      return in == null ? NONE : read(all(in), name);
    } catch (IOException | RuntimeException e) {
      return NONE;
    }
  }

  private static byte[] all(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      out.write(buffer, 0, n);
    }
    return out.toByteArray();
  }
}
