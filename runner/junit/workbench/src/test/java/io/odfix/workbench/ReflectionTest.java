package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements that reach a field by reflection. They are made only on request, and only if nothing
 * else reaches the field.
 */
class ReflectionTest {
  private static final String OPEN_KNOWN = "java.lang.reflect.Field knownField = app.Registry.class.getDeclaredField(\"KNOWN\");"
      + " knownField.setAccessible(true); ";

  @TempDir
  Path root;

  private ClassesOnDisk disk;

  @BeforeEach
  void begin() {
    disk = new ClassesOnDisk(root);
    disk.add("app/PolluterTest.java", "package app;\npublic class PolluterTest {\n  public void runs() { }\n}\n");
  }

  private List<String> find(boolean reflection, String place, String path, String before, String after) throws IOException {
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = place;
    r.reflection = reflection;
    r.tests = Arrays.asList("app.PolluterTest#runs");
    Api.Change c = new Api.Change();
    c.path = place + path;
    c.before = before;
    c.after = after;
    r.changes.add(c);
    Api.Resets got = Resets.find(disk.compiled(r), r);
    return got.candidates.stream().filter(x -> !x.lead.isEmpty() || x.kind.equals("reflection"))
        .map(x -> String.join(" ", x.lead) + " " + x.statement).collect(Collectors.toList());
  }

  private void registry(String members) {
    disk.add("app/Registry.java", "package app;\nimport java.util.*;\npublic class Registry {\n" + members + "}\n");
  }

  @Test
  void unreachablePrivateCollectionIsEmptied() throws IOException {
    registry("  private static final Map<String, Integer> KNOWN = new HashMap<>();\n  public static void put(String k) { KNOWN.put(k, 1); }\n");
    assertEquals(Arrays.asList(), find(false, "app.Registry.KNOWN", "[\"vdm\"]", "absent", "1"));
    List<String> got = find(true, "app.Registry.KNOWN", "[\"vdm\"]", "absent", "1");
    assertEquals(OPEN_KNOWN + "((java.util.Map<?, ?>) knownField.get(null)).remove(\"vdm\");", got.get(0), got::toString);
    assertTrue(got.contains(OPEN_KNOWN + "((java.util.Map<?, ?>) knownField.get(null)).clear();"), got::toString);
  }

  @Test
  void privateFieldIsAssignedItsValue() throws IOException {
    registry("  private static int KNOWN = 7;\n  public static void more() { KNOWN++; }\n");
    assertEquals(OPEN_KNOWN + "knownField.set(null, 7);", find(true, "app.Registry.KNOWN", "", "7", "8").get(0));
  }

  @Test
  void finalStaticFieldIsNotSet() throws IOException {
    registry("  private static final Integer KNOWN = new Integer(7);\n");
    assertEquals(Arrays.asList(), find(true, "app.Registry.KNOWN", "", "7", "8"));
  }

  @Test
  void fieldBelowAnAccessorNeedsOneStepOnly() throws IOException {
    registry("  private static final Registry ONE = new Registry();\n  private boolean locked;\n"
        + "  public static Registry get() { return ONE; }\n  public void lock() { locked = true; }\n");
    assertEquals(Arrays.asList("java.lang.reflect.Field lockedField = app.Registry.class.getDeclaredField(\"locked\");"
        + " lockedField.setAccessible(true); lockedField.set(app.Registry.get(), false);"), find(true, "app.Registry.ONE", ".locked", "false", "true"));
  }

  @Test
  void missingEntryIsAddedWithACast() throws IOException {
    registry("  private static final Map<String, Integer> KNOWN = new HashMap<>();\n  public static void forget() { KNOWN.clear(); }\n");
    List<String> got = find(true, "app.Registry.KNOWN", "[\"vdm\"]", "1", "absent");
    assertEquals(OPEN_KNOWN + "((java.util.Map) knownField.get(null)).put(\"vdm\", 1);", got.get(0), got::toString);
  }

  @Test
  void finalFieldOfAnInstanceIsNotSet() throws IOException {
    registry("  private static final Registry ONE = new Registry();\n  private final boolean locked;\n  private Registry() { locked = true; }\n"
        + "  public static Registry get() { return ONE; }\n");
    assertEquals(Arrays.asList(), find(true, "app.Registry.ONE", ".locked", "false", "true"));
  }

  @Test
  void inaccessibleClassIsLoadedByName() throws IOException {
    disk.add("lib/Registry.java", "package lib;\nclass Registry {\n  private static String name = \"a\";\n}\n");
    assertEquals("java.lang.reflect.Field nameField = Class.forName(\"lib.Registry\").getDeclaredField(\"name\");"
        + " nameField.setAccessible(true); nameField.set(null, \"a\");", find(true, "lib.Registry.name", "", "\"a\"", "\"b\"").get(0));
  }

  @Test
  void springsReflectionHelperIsUsedIfPresent() throws IOException {
    disk.add("org/springframework/test/util/ReflectionTestUtils.java", "package org.springframework.test.util;\npublic class ReflectionTestUtils {}\n");
    registry("  private static int KNOWN = 7;\n");
    assertEquals(Arrays.asList(" org.springframework.test.util.ReflectionTestUtils.setField(app.Registry.class, \"KNOWN\", 7);"),
        find(true, "app.Registry.KNOWN", "", "7", "8"));
  }
}
