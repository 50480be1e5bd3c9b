package io.odfix.workbench;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The modules of the JDK that runs this code. A file of Java 25 imports one with
 * {@code import module java.base;} (Java Language Specification, 7.5.5). A JDK without modules has
 * none. Reflection reads them, since this code runs on Java 8, too.
 */
final class Modules {
  private static final Map<String, Set<String>> PACKAGES = new ConcurrentHashMap<>();

  private Modules() {
  }

  /**
   * The packages that the import of a module imports: those that it exports to all, and those of
   * the modules that it requires transitively. An unknown module has none.
   */
  static Set<String> packages(String module) {
    return PACKAGES.computeIfAbsent(module, m -> {
      Set<String> out = new LinkedHashSet<>();
      try {
        add(m, out, new LinkedHashSet<>());
      } catch (ReflectiveOperationException | RuntimeException e) {
        return Collections.emptySet();
      }
      return out;
    });
  }

  private static void add(String module, Set<String> out, Set<String> seen) throws ReflectiveOperationException {
    Object layer = Class.forName("java.lang.ModuleLayer").getMethod("boot").invoke(null);
    Optional<?> found = (Optional<?>) layer.getClass().getMethod("findModule", String.class).invoke(layer, module);
    if (!seen.add(module) || !found.isPresent()) {
      return;
    }
    Object descriptor = get(found.get(), "getDescriptor");
    for (Object e : (Collection<?>) get(descriptor, "exports")) {
      if (!(Boolean) get(e, "isQualified")) {
        out.add((String) get(e, "source"));
      }
    }
    for (Object r : (Collection<?>) get(descriptor, "requires")) {
      if (get(r, "modifiers").toString().contains("TRANSITIVE")) {
        add((String) get(r, "name"), out, seen);
      }
    }
  }

  private static Object get(Object of, String method) throws ReflectiveOperationException {
    Method m = of.getClass().getMethod(method);
    return m.invoke(of);
  }
}
