package io.odfix.state;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * State of the whole process that tests are known to change: system properties, default locale and
 * time zone, standard streams, handlers. Calls of the project that get or set it are woven; the
 * JDK's own are not.
 */
final class Ambient {
    /** Class and field, and the field's first value if that is always the same. */
    private static final String[][] FIELDS = {
        {"java.util.Locale", "defaultLocale", ""},
        {"java.util.TimeZone", "defaultTimeZone", ""},
        {"java.lang.System", "out", ""},
        {"java.lang.System", "err", ""},
        {"java.lang.System", "in", ""},
        {"java.lang.Thread", "defaultUncaughtExceptionHandler", "null"},
        {"java.net.URL", "factory", "null"},
        {"java.net.Authenticator", "theAuthenticator", "null"},
        {"java.net.ProxySelector", "theProxySelector", ""},
        {"java.net.CookieHandler", "cookieHandler", "null"},
        {"java.net.ResponseCache", "theResponseCache", "null"},
        {"java.net.HttpURLConnection", "followRedirects", "true"},
        {"javax.net.ssl.HttpsURLConnection", "defaultHostnameVerifier", ""},
        {"javax.net.ssl.HttpsURLConnection", "defaultSSLSocketFactory", ""},
    };

    /** Calls and fields that get or set one of the above. */
    private static final String[][] CALLS = {
        {"java/util/Locale.getDefault", "java.util.Locale.defaultLocale", "r"},
        {"java/util/Locale.setDefault", "java.util.Locale.defaultLocale", "w"},
        {"java/util/TimeZone.getDefault", "java.util.TimeZone.defaultTimeZone", "r"},
        {"java/time/ZoneId.systemDefault", "java.util.TimeZone.defaultTimeZone", "r"},
        {"java/util/TimeZone.setDefault", "java.util.TimeZone.defaultTimeZone", "w"},
        {"java/lang/System.out", "java.lang.System.out", "r"},
        {"java/lang/System.err", "java.lang.System.err", "r"},
        {"java/lang/System.in", "java.lang.System.in", "r"},
        {"java/lang/System.setOut", "java.lang.System.out", "w"},
        {"java/lang/System.setErr", "java.lang.System.err", "w"},
        {"java/lang/System.setIn", "java.lang.System.in", "w"},
    };

    /** A static field of the JDK. Its object is compared by identity or by its text. */
    static final class JdkField extends ObservedState {
        private final Class<?> owner;
        private final StaticField field;
        /** The first value if that is always the same, else "". */
        final String first;

        JdkField(Class<?> owner, Field field, String first) {
            super(owner.getName() + "." + field.getName(), AMBIENT);
            this.owner = owner;
            this.first = first;
            this.field = new StaticField(field);
        }

        Class<?> primitive() {
            return field.type.isPrimitive() ? field.type : null;
        }

        Object held() {
            return field.type.isPrimitive() ? (Object) field.primitive() : field.reference();
        }

        @Override
        boolean gone() {
            return FieldAccess.memory.uninitialised(owner);
        }

        @Override
        long now(Graph graph) {
            graph.of(null);
            if (field.type.isPrimitive()) {
                return field.primitive();
            }
            Object held = field.reference();
            return held instanceof java.util.Locale ? held.toString().hashCode() : System.identityHashCode(held);
        }
    }

    /** One system property. */
    private static final class Property extends ObservedState {
        private final String key;

        Property(String key) {
            super("system property " + key, AMBIENT);
            this.key = key;
        }

        /**
         * Only if an object of the JDK's own class contains it. A project's class could run any
         * code when asked.
         */
        @Override
        long now(Graph graph) {
            graph.of(null);
            Properties all = System.getProperties();
            return all.getClass() == Properties.class ? digest(all.get(key)) : value;
        }
    }

    private final Instrumentation instrumentation;
    private final Sites sites;
    private final List<JdkField> fields = new ArrayList<JdkField>();
    private final Set<String> waiting = ConcurrentHashMap.newKeySet();
    private volatile boolean more;
    private final Map<String, Integer> calls = new HashMap<String, Integer>();
    /** The internal names of all classes whose methods can be such calls. */
    private final Set<String> owners = new HashSet<String>();
    private final Map<String, Property> properties = new ConcurrentHashMap<String, Property>();
    private final Map<String, Integer> places = new ConcurrentHashMap<String, Integer>();
    private Map<String, Long> before = new HashMap<String, Long>();

    private Ambient(Instrumentation instrumentation, Sites sites) {
        this.instrumentation = instrumentation;
        this.sites = sites;
    }

    static Ambient find(Instrumentation instrumentation, Sites sites) {
        Ambient found = new Ambient(instrumentation, sites);
        for (String[] call : CALLS) {
            found.owners.add(call[0].substring(0, call[0].indexOf('.')));
        }
        for (String[] field : FIELDS) {
            found.waiting.add(field[0]);
        }
        java.util.TimeZone.getDefault(); // else the first to ask would seem to change it
        found.meet();
        found.before = found.snapshot();
        return found;
    }

    /** A class of the JDK is being loaded. */
    void loads(String internal) {
        more = more || waiting.contains(internal.replace('/', '.'));
    }

    /** Finds the fields of those classes of the JDK that are loaded. It loads none. */
    private void meet() {
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (c.getClassLoader() == null && waiting.remove(c.getName())) {
                for (String[] field : FIELDS) {
                    if (field[0].equals(c.getName())) {
                        add(c, field[1], field[2]);
                    }
                }
            }
        }
    }

    private void add(Class<?> c, String name, String first) {
        try {
            JdkField observed = new JdkField(c, c.getDeclaredField(name), first);
            if (!first.isEmpty()) {
                observed.baseline(first.equals("true") ? 1 : System.identityHashCode(null));
            } else if (!observed.gone()) {
                observed.baseline(observed.now(new Graph(1)));
            }
            fields.add(observed);
            int place = sites.place(observed);
            for (String[] call : CALLS) {
                if (call[1].equals(observed.name)) {
                    calls.put(call[0], place << 4 | (call[2].equals("r") ? Sites.READ : Sites.WRITE));
                }
            }
        } catch (NoSuchFieldException e) {
            return; // another JDK has it elsewhere, or not at all
        }
    }

    /** The known fields of the JDK. */
    List<JdkField> fields() {
        return fields;
    }

    /** The state that the call or field touches, as place × 16 + bit, or 0 if it touches none. */
    int call(String owner, String name) {
        Integer code = owners.contains(owner) ? calls.get(owner + "." + name) : null;
        return code == null ? 0 : code;
    }

    /** The place of a system property. */
    int property(String key) {
        Integer place = places.get(key);
        if (place == null) {
            place = sites.place(observed(key));
            places.put(key, place);
        }
        return place;
    }

    private Property observed(String key) {
        Property observed = properties.get(key);
        if (observed == null) {
            observed = new Property(key);
            Long held = before.get(key);
            observed.baseline(held == null ? 0 : held);
            properties.put(key, observed);
        }
        return observed;
    }

    /**
     * State that may have changed although no woven code touched it.
     *
     * @param same another comparison has shown that nothing known at the last call has changed
     */
    List<ObservedState> changed(boolean same) {
        if (same && !more) {
            return Collections.emptyList();
        }
        if (more) {
            more = false;
            meet();
        }
        List<ObservedState> out = new ArrayList<ObservedState>();
        Graph graph = new Graph(1);
        for (ObservedState observed : fields) {
            if (!observed.gone() && (!observed.known || observed.now(graph) != observed.value)) {
                out.add(observed);
            }
        }
        Map<String, Long> now = snapshot();
        if (now.equals(before)) {
            return out;
        }
        Set<String> keys = new HashSet<String>(now.keySet());
        keys.addAll(before.keySet());
        for (String key : keys) {
            Long a = before.get(key);
            Long b = now.get(key);
            if (a == null || !a.equals(b)) {
                out.add(observed(key));
            }
        }
        before = now;
        return out;
    }

    private Map<String, Long> snapshot() {
        Properties all = System.getProperties();
        if (all.getClass() != Properties.class) {
            return before;
        }
        Map<String, Long> out = new HashMap<String, Long>();
        synchronized (all) { // a plain hash table until Java 8
            for (Map.Entry<Object, Object> e : all.entrySet()) {
                if (e.getKey() instanceof String) {
                    out.put((String) e.getKey(), digest(e.getValue()));
                }
            }
        }
        return out;
    }

    private static long digest(Object held) {
        return held == null ? 0 : held instanceof String ? 1L << 32 | held.hashCode() & 0xffffffffL : 1;
    }
}
