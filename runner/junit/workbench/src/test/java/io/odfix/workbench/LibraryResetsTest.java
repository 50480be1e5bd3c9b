package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements proposed for a static field of a library, of whose methods many fill a cache. */
class LibraryResetsTest {
  @TempDir
  Path root;

  private List<String> statements(String pkg) throws IOException {
    return statements(pkg, "org.acme.shop");
  }

  private List<String> statements(String pkg, String tests) throws IOException {
    ClassesOnDisk library = new ClassesOnDisk(root.resolve("library"));
    library.add(pkg.replace('.', '/') + "/Cache.java", "package " + pkg + ";\nimport java.util.*;\npublic class Cache {\n"
        + "  private static final Map<Object, Object> ALL = new HashMap<>();\n"
        + "  public Cache(String name) { ALL.put(name, this); }\n"
        + "  public static void clearAll() { ALL.clear(); }\n"
        + "  public static void removeOf(Class<?> type) { ALL.remove(type); }\n"
        + "  public static void removeNamed(String name) { ALL.remove(name); }\n"
        + "  public static Object find(String name) { return ALL.computeIfAbsent(name, n -> n); }\n"
        + "  public static boolean isKnown(Class<?> type) { ALL.put(type, type); return true; }\n}\n");
    ClassesOnDisk disk = new ClassesOnDisk(root.resolve("project"));
    disk.libraries.add(library.jar());
    disk.add(tests.replace('.', '/') + "/PolluterTest.java", "package " + tests + ";\nimport org.junit.Test;\npublic class PolluterTest {\n"
        + "  @Test public void runs() { String job = \"nightly\"; }\n}\n");
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = pkg + ".Cache.ALL";
    r.tests = Arrays.asList(tests + ".PolluterTest#runs");
    return Resets.find(disk.compiled(r), r).candidates.stream().map(c -> c.statement).collect(Collectors.toList());
  }

  /** Those whose names mean it, without null for an object. */
  @Test
  void namesThatReset() throws IOException {
    List<String> got = statements("tools.caching");
    assertEquals("tools.caching.Cache.clearAll();", got.get(0));
    assertTrue(got.contains("tools.caching.Cache.removeNamed(\"nightly\");"), got::toString);
    for (String no : Arrays.asList("find", "isKnown", "new ", "null")) {
      assertTrue(got.stream().noneMatch(s -> s.contains(no)), () -> no + ": " + got);
    }
  }

  /** A jar may hold another module of the same project, whose methods may have any name. */
  @Test
  void otherModules() throws IOException {
    List<String> got = statements("org.acme.base");
    assertTrue(got.contains("org.acme.base.Cache.find(\"nightly\");"), got::toString);
  }

  /** A company has several projects: of longer packages, three names are compared. */
  @Test
  void otherProjects() throws IOException {
    assertTrue(statements("org.acme.base", "org.acme.samples.shop.test").stream().noneMatch(s -> s.contains("find")));
  }
}
