package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Names in class files that are Java expressions. None of them becomes part of a statement. */
class SourceNamesTest {
  private static final String EVIL = "valueOf(app.Evil.go() ? \"A\" : \"B\")";
  private static final String EVIL_TYPE = "app/Evil/go() ? app/Mode.class : app/Mode";

  @TempDir
  Path root;

  /** A public class with the fields and methods that the maker adds. */
  private static byte[] made(String name, Consumer<ClassWriter> maker) {
    ClassWriter w = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    w.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
    maker.accept(w);
    w.visitEnd();
    return w.toByteArray();
  }

  private static void method(ClassWriter w, String name, String descriptor, Consumer<MethodVisitor> code) {
    MethodVisitor m = w.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, descriptor, null, null);
    m.visitCode();
    code.accept(m);
    m.visitInsn(Opcodes.RETURN);
    m.visitMaxs(0, 0);
    m.visitEnd();
  }

  private static void field(ClassWriter w, String name, String descriptor, String signature) {
    w.visitField(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, descriptor, signature, null).visitEnd();
  }

  private static void use(ClassWriter w, String name) {
    method(w, "use", "()V", m -> {
      m.visitFieldInsn(Opcodes.GETSTATIC, "app/Mode", name, "Lapp/Mode;");
      m.visitMethodInsn(Opcodes.INVOKESTATIC, "app/Settings", "setMode", "(Lapp/Mode;)V", false);
    });
  }

  private ClassesOnDisk settings() {
    ClassesOnDisk disk = new ClassesOnDisk(root);
    disk.add("app/Mode.java", "package app;\npublic enum Mode { A, B }\n");
    disk.add("app/Settings.java", "package app;\npublic class Settings {\n  private static Mode mode = Mode.A;\n"
        + "  public static void setMode(Mode m) { mode = m; }\n}\n");
    disk.add("app/PolluterTest.java", "package app;\npublic class PolluterTest {\n  public void runs() { Settings.setMode(null); }\n}\n");
    return disk;
  }

  private Types with(ClassesOnDisk disk, Api.Project r, String file, byte[] bytes) throws IOException {
    disk.compiled(r);
    Files.write(root.resolve("classes").resolve(file), bytes);
    return new Types(new Sources(r.sourceRoots, "", null), new ClassPath(r.classPath));
  }

  private static String statements(Api.Resets r) {
    return r.candidates.stream().map(c -> c.fields + c.statement).collect(Collectors.joining("\n"));
  }

  @Test
  void instructionOfACommittedClass() throws IOException {
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = "app.Settings.mode";
    r.tests = Arrays.asList("app.PolluterTest#runs");
    String plain = statements(Resets.find(with(settings(), r, "app/Other.class", made("app/Other", w -> use(w, "B"))), r));
    assertTrue(plain.contains("app.Settings.setMode(app.Mode.B);"), plain);
    String forged = statements(Resets.find(with(settings(), r, "app/Other.class", made("app/Other", w -> use(w, EVIL))), r));
    assertTrue(forged.contains("app.Settings.setMode(app.Mode.A);"), forged);
    assertFalse(forged.contains("Evil"), forged);
  }

  @Test
  void argumentsAndConstants() {
    CompiledClass c = CompiledClass.read(made("app/Other", w -> {
      use(w, EVIL);
      method(w, "constant", "()V", m -> {
        m.visitLdcInsn(Type.getObjectType(EVIL_TYPE));
        m.visitMethodInsn(Opcodes.INVOKESTATIC, "app/Settings", "use", "(Ljava/lang/Class;)V", false);
        m.visitLdcInsn(Type.getObjectType("app/Mode"));
        m.visitMethodInsn(Opcodes.INVOKESTATIC, "app/Settings", "use", "(Ljava/lang/Class;)V", false);
      });
    }));
    assertEquals(Collections.emptyMap(), c.methods.get(0).constants);
    assertEquals(Collections.emptyMap(), c.methods.get(0).passes);
    assertEquals(Collections.singletonMap("app.Mode.class", "Ljava/lang/Class;"), c.methods.get(1).constants);
    assertEquals("[[(app.Mode.class)]]", c.methods.get(1).passes.values().toString());
  }

  @Test
  void firstValues() {
    String[] types = {"java/lang/Object", "int[0].length + new app/Evil", "java/lang/Object().equals(app/Evil/go()) ? null : app/Mode.values"};
    for (String type : types) {
      CompiledClass c = CompiledClass.read(made("app/Other", w -> {
        field(w, "held", "Ljava/lang/Object;", null);
        method(w, "<clinit>", "()V", m -> {
          m.visitTypeInsn(Opcodes.NEW, type);
          m.visitInsn(Opcodes.DUP);
          m.visitMethodInsn(Opcodes.INVOKESPECIAL, type, "<init>", "()V", false);
          m.visitFieldInsn(Opcodes.PUTSTATIC, "app/Other", "held", "Ljava/lang/Object;");
        });
      }));
      assertEquals(type.equals("java/lang/Object") ? "new java.lang.Object()" : null, c.fields.get("held").first);
    }
  }

  @Test
  void fieldsAndSignatures() {
    CompiledClass c = CompiledClass.read(made("app/Other", w -> {
      field(w, "list", "Ljava/util/List;", "Ljava/util/List<Ljava/lang/String;>;");
      field(w, "outer", "Ljava/util/List;", "Ljava/util/List<Lapp/A {};>;");
      field(w, "inner", "Ljava/util/List;", "Ljava/util/List<Lapp/A<*>.B {};>;");
      field(w, "gone", "Lapp/Gone a = app/Evil/go(), b;", null);
      field(w, "held == null ? 1 : 2", "I", null);
      field(w, "a.b", "I", null);
    }));
    assertEquals(Arrays.asList("list", "outer", "inner"), c.fields.keySet().stream().collect(Collectors.toList()));
    assertEquals("java.util.List<java.lang.String>", c.fields.get("list").generic);
    assertEquals(null, c.fields.get("outer").generic);
    assertEquals(null, c.fields.get("inner").generic);
  }

  @Test
  void parametersOfMethods() throws IOException {
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = "app.Other.held";
    r.tests = Arrays.asList("app.PolluterTest#runs");
    byte[] other = made("app/Other", w -> {
      field(w, "held", "Ljava/lang/Object;", null);
      for (String type : new String[] {"I", "Ljava/lang/String;", "Lapp/A) app/Evil/go() + (app/B;"}) {
        method(w, "set", "(" + type + ")V", m -> {
          m.visitInsn(Opcodes.ACONST_NULL);
          m.visitFieldInsn(Opcodes.PUTSTATIC, "app/Other", "held", "Ljava/lang/Object;");
        });
      }
    });
    String found = statements(Resets.find(with(settings(), r, "app/Other.class", other), r));
    assertTrue(found.contains("app.Other.set((java.lang.String) null);"), found);
    assertFalse(found.contains("Evil"), found);
  }

  @Test
  void fieldsOfATestClass() throws IOException {
    Api.ClosingRequest r = new Api.ClosingRequest();
    r.tests = Arrays.asList("app.OpenTest#runs");
    byte[] open = made("app/OpenTest", w -> {
      field(w, "timer", "Ljava/util/Timer;", null);
      field(w, "new app.Evil().timer", "Ljava/util/Timer;", null);
    });
    assertEquals("[]if (timer != null) { timer.cancel(); }",
        statements(ClosingStatements.find(with(settings(), r, "app/OpenTest.class", open), r)));
  }

  @Test
  void callsOfLibraries() throws IOException {
    ClassWriter library = new ClassWriter(0);
    String[] names = {"get", "held = get", "get(app.Evil.go()).held"};
    library.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "cache/Cache", null, "java/lang/Object", null);
    for (String name : names) {
      library.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_NATIVE, name, "()Lcache/Cache;", null, null).visitEnd();
    }
    library.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_NATIVE, "clear", "()V", null, null).visitEnd();
    library.visitEnd();
    Path jar = root.resolve("cache.jar");
    try (java.util.zip.ZipOutputStream zip = new java.util.zip.ZipOutputStream(Files.newOutputStream(jar))) {
      zip.putNextEntry(new java.util.zip.ZipEntry("cache/Cache.class"));
      zip.write(library.toByteArray());
    }
    Api.ClosingRequest r = new Api.ClosingRequest();
    r.tests = Arrays.asList("app.OpenTest#runs");
    byte[] open = made("app/OpenTest", w -> method(w, "runs", "()V", m -> {
      for (String name : names) {
        m.visitMethodInsn(Opcodes.INVOKESTATIC, "cache/Cache", name, "()Lcache/Cache;", false);
        m.visitInsn(Opcodes.POP);
      }
    }));
    with(settings(), r, "app/OpenTest.class", open);
    r.classPath.add(jar.toString());
    Types types = new Types(new Sources(r.sourceRoots, "", null), new ClassPath(r.classPath));
    assertEquals("[]cache.Cache.get().clear();", statements(ClosingStatements.find(types, r)));
  }

  /** javac finds no such class either. */
  @Test
  void fileOfAnotherClass() throws IOException {
    Api.Project p = new Api.Project();
    byte[] other = made("app/Evil {} class Other", w -> field(w, "held", "I", null));
    assertEquals(null, with(settings(), p, "app/Other.class", other).classPath.find("app.Other"));
  }

  @Test
  void namesAndDescriptors() {
    for (String yes : new String[] {"app/Outer$Inner", "A", "a/\u00fcb"}) {
      assertTrue(SourceNames.isType(yes), yes);
      assertTrue(SourceNames.isDescriptor("(I[[L" + yes + ";)L" + yes + ";"), yes);
    }
    for (String no : new String[] {"", "/A", "a//b", "a/b-c", "a/1", "a.b", "a/B<C>", "a b", "[La/B", "a/\u200bb"}) {
      assertFalse(SourceNames.isType(no), no);
      assertFalse(SourceNames.isDescriptor("L" + no + ";"), no);
      assertFalse(SourceNames.isDescriptor("(L" + no + ";)V"), no);
      assertFalse(SourceNames.isDescriptor("()L" + no + ";"), no);
    }
    for (String no : new String[] {"", "V", "II", "(I", "(V)V", "()", "()II", "LA", ")V", "[", "[V"}) {
      assertFalse(SourceNames.isDescriptor(no), no);
    }
    assertTrue(SourceNames.isDescriptor("()V"));
    assertTrue(SourceNames.isDescriptor("[[J"));
  }
}
