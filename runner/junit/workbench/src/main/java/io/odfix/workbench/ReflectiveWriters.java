package io.odfix.workbench;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Methods that write a static field by reflection. People write such helpers in their test sources
 * where nothing else resets a private field: {@code GlobalTracerTestUtil.resetGlobalTracer()}.
 */
final class ReflectiveWriters {
  /** Calls that write a field: of the JDK, and of libraries that do it for tests. */
  private static final List<String> WRITES = Arrays.asList("java/lang/reflect/Field.set(",
      "java/lang/reflect/Field.setBoolean(", "java/lang/reflect/Field.setByte(", "java/lang/reflect/Field.setChar(",
      "java/lang/reflect/Field.setDouble(", "java/lang/reflect/Field.setFloat(", "java/lang/reflect/Field.setInt(",
      "java/lang/reflect/Field.setLong(", "java/lang/reflect/Field.setShort(", "java/lang/invoke/VarHandle.set", "sun/misc/Unsafe.put", "org/springframework/test/util/ReflectionTestUtils.setField(", "org/springframework/util/ReflectionUtils.setField(",
      "org/apache/commons/lang3/reflect/FieldUtils.write", "org/powermock/reflect/Whitebox.setInternalState(",
      "org/mockito/internal/util/reflection/Whitebox.setInternalState(", "org/mockito/internal/util/reflection/FieldSetter.setField(");

  private ReflectiveWriters() {}

  /**
   * Those that name the field and its class, and write a field themselves or by a method of the
   * project that they call.
   */
  static Set<CompiledClass.Method> of(ClassGraph graph, CompiledClass.Field f) {
    Set<CompiledClass.Method> out = new LinkedHashSet<>();
    for (CompiledClass c : graph.all()) {
      for (CompiledClass.Method m : c.own ? c.methods : Collections.<CompiledClass.Method>emptyList()) {
        if (names(m, f) && (writes(m) || m.calls.stream().anyMatch(k -> helps(graph, k)))) {
          out.add(m);
        }
      }
    }
    return out;
  }

  private static boolean names(CompiledClass.Method m, CompiledClass.Field f) {
    return m.strings.contains(f.name)
        && (m.constants.containsKey(f.owner.source() + ".class") || m.strings.contains(f.owner.name.replace('/', '.')));
  }

  private static boolean writes(CompiledClass.Method m) {
    return m.calls.stream().anyMatch(k -> WRITES.stream().anyMatch(k::startsWith));
  }

  private static boolean helps(ClassGraph graph, String call) {
    int open = call.indexOf('(');
    int dot = open < 0 ? -1 : call.lastIndexOf('.', open);
    CompiledClass owner = dot < 0 ? null : graph.find(call.substring(0, dot));
    return owner != null && owner.own && owner.methods.stream().anyMatch(m -> m.key().equals(call) && writes(m));
  }
}
