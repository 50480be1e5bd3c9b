package io.odfix.workbench;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Finds class files by name. Jars are indexed once for each size and time of change; folders are
 * looked at each time, since tests are compiled into them while the workbench lives.
 */
final class ClassPath {
  private static final Map<String, Jar> JARS = new ConcurrentHashMap<>();
  private static final Map<String, TypeInfo> PLATFORM = new ConcurrentHashMap<>();
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
      jar.names.clear(); // javac ignores what is no jar, and says so itself
    }
    JARS.put(f.getPath(), jar);
    return jar;
  }

  /** Whether any entry holds the file. */
  boolean holds(String name) {
    return folders.stream().anyMatch(d -> Files.isRegularFile(d.resolve(name)))
        || jars.stream().anyMatch(j -> j.names.contains(name));
  }

  /** The class of that binary name, or null; the JDK's own classes are always found. */
  TypeInfo find(String binary) {
    String name = binary.replace('.', '/') + ".class";
    for (Path d : folders) {
      Path f = d.resolve(name);
      if (Files.isRegularFile(f)) {
        try {
          return ClassFile.read(Files.readAllBytes(f));
        } catch (IOException | RuntimeException e) {
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
    TypeInfo t = PLATFORM.computeIfAbsent(name, ClassPath::fromPlatform);
    return t == NONE ? null : t;
  }

  private static TypeInfo fromJar(Jar j, String name) {
    try (ZipFile zip = new ZipFile(j.file.toFile()); InputStream in = zip.getInputStream(zip.getEntry(name))) {
      return ClassFile.read(all(in));
    } catch (IOException | RuntimeException e) {
      return NONE;
    }
  }

  private static TypeInfo fromPlatform(String name) {
    if (name.startsWith("io/odfix/")) {
      return NONE;
    }
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name)) {
      return in == null ? NONE : ClassFile.read(all(in));
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
