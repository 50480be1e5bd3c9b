package io.odfix.state;

import java.io.DataInputStream;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Creates the observer once, before the first class of the project is loaded. */
public final class Setup {
    /** Woven classes call this class. It is in java.lang, where every class loader finds it. */
    static final String GATE = "java/lang/OdfixGate";

    private Setup() {}

    /**
     * @param arguments the agent's: a file of {@link Options} where the heap is to be captured,
     * too, or null
     * @param jar the agent's: reading a few classes from the open file costs less than the class
     * loader does
     */
    public static void start(String arguments, Instrumentation instrumentation, JarFile jar) throws Exception {
        boolean modules = modular();
        if (modules) {
            openBase(instrumentation);
        }
        FieldAccess.install(define(jar, Memory.class, Memory.rename(modules)));
        Class<?> gate = define(jar, Gate.class, Collections.singletonMap(internal(Gate.class), GATE));
        boolean heap = arguments != null && !arguments.isEmpty();
        Sites sites = new Sites(heap);
        Ambient ambient = Ambient.find(instrumentation, sites);
        HeapObserver heapObserver = null;
        WriteLog writes = null;
        if (heap) {
            Options options = Options.read(arguments);
            Shape.configure(options);
            writes = options.lines ? new WriteLog() : null;
            heapObserver = new HeapObserver(new Roots(instrumentation, sites, ambient, options), options, writes);
        }
        AgentApi.install(new Tracer(sites, ambient, heapObserver, instrumentation), heapObserver == null ? null : heapObserver.roots());
        gate.getField("marks").set(null, sites);
        gate.getField("keys").set(null, sites.keys());
        gate.getField("writes").set(null, writes);
        sites.shares(gate.getField("seen"), gate.getField("last"));
        instrumentation.addTransformer(new Weaver(sites, writes));
    }

    static String internal(Class<?> c) {
        return c.getName().replace('.', '/');
    }

    private static boolean modular() {
        try {
            Class.class.getMethod("getModule");
            return true;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /** Allows this package to define classes in java.lang that can access this package. */
    private static void openBase(Instrumentation instrumentation) throws ReflectiveOperationException {
        Method getModule = Class.class.getMethod("getModule");
        Object base = getModule.invoke(Object.class);
        Set<Object> us = Collections.singleton(getModule.invoke(Setup.class));
        Class<?> module = Class.forName("java.lang.Module");
        Map<String, Set<Object>> opens = Collections.singletonMap("java.lang", us);
        Instrumentation.class
                .getMethod("redefineModule", module, Set.class, Map.class, Map.class, Set.class, Map.class)
                .invoke(instrumentation, base, us, Collections.emptyMap(), opens, Collections.emptySet(), Collections.emptyMap());
    }

    /** Defines a copy of one of our classes under other names in java.lang. */
    private static Class<?> define(JarFile jar, Class<?> template, Map<String, String> names) throws Exception {
        byte[] code = Renamed.copy(bytes(jar, template), names);
        if (!modular()) {
            return defineBeforeModules(names.get(internal(template)), code);
        }
        Object all = MethodHandles.class
                .getMethod("privateLookupIn", Class.class, MethodHandles.Lookup.class)
                .invoke(null, Object.class, MethodHandles.lookup());
        return (Class<?>) MethodHandles.Lookup.class.getMethod("defineClass", byte[].class).invoke(all, (Object) code);
    }

    private static Class<?> defineBeforeModules(String name, byte[] code) throws Exception {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        Field field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return (Class<?>) type.getMethod(
                        "defineClass", String.class, byte[].class, int.class, int.class, ClassLoader.class,
                        java.security.ProtectionDomain.class)
                .invoke(field.get(null), name, code, 0, code.length, null, null);
    }

    private static byte[] bytes(JarFile jar, Class<?> c) throws IOException {
        JarEntry entry = jar.getJarEntry(internal(c) + ".class");
        try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            byte[] all = new byte[(int) entry.getSize()];
            in.readFully(all);
            return all;
        }
    }
}
