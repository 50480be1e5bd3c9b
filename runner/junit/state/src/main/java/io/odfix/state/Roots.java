package io.odfix.state;

import java.lang.instrument.Instrumentation;
import java.lang.ref.WeakReference;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The roots of captures, updated when classes load. They are static fields of the project's own
 * classes (in folders, or in a package of these) or of the requested packages, and state of the
 * whole process.
 */
final class Roots {
    /** How often a class that is being loaded is searched for, because its definition can fail. */
    private static final int LOOKS = 3;

    private static final Comparator<Class<?>> BY_NAME = new Comparator<Class<?>>() {
        @Override
        public int compare(Class<?> a, Class<?> b) {
            return a.getName().compareTo(b.getName());
        }
    };

    private final Instrumentation instrumentation;
    private final Sites sites;
    private final Ambient ambient;
    private final Options options;
    private final List<Root> all = new ArrayList<Root>();
    private final Set<String> packages = new HashSet<String>();
    /** Names of classes whose static fields are roots. */
    private final Set<String> observed = new HashSet<String>();
    /**
     * Those classes that do not report their initialisation, and how often they were searched for.
     */
    private final Map<String, Integer> expected = new HashMap<String, Integer>();
    /** The classes that have reported it. */
    private final List<WeakReference<Class<?>>> arrivals = new ArrayList<WeakReference<Class<?>>>();
    private final List<WeakReference<Class<?>>> waiting = new ArrayList<WeakReference<Class<?>>>();
    private final Map<Class<?>, Boolean> met = new WeakHashMap<Class<?>, Boolean>();
    private final List<ExternalState> outside = new ArrayList<ExternalState>();
    private final Files files;
    private final OpenResources[] opened = {new OpenResources.Ports(), new OpenResources.Children()};
    private final int filesPlace;
    private final int openedPlace;
    /** Empty if classes whose fields are roots are named by option. */
    private final Folders folders;
    private int jdkFields;

    Roots(Instrumentation instrumentation, Sites sites, Ambient ambient, Options options) {
        this.instrumentation = instrumentation;
        this.sites = sites;
        this.ambient = ambient;
        this.options = options;
        folders = new Folders(options.includes() ? "" : System.getProperty("java.class.path", ""));
        add(new SystemProperties());
        files = new Files(options.fileRoots);
        for (ExternalState kind : new ExternalState[] {new ExternalState.Environment(), new ThreadsAndHooks.Threads(), new ThreadsAndHooks.Hooks(), files, opened[0], opened[1]}) {
            if (!options.excludesRoot(kind.name)) {
                outside.add(kind);
            }
        }
        filesPlace = sites.place(signal("files"));
        openedPlace = sites.place(signal("ports and processes"));
    }

    /** A place without content. A touch of it signals that a method was called. */
    private static ObservedState signal(String name) {
        return new ObservedState(name, ObservedState.AMBIENT) {
            @Override
            long now(Graph graph) {
                return graph.of(null);
            }
        };
    }

    boolean isSignal(int place) {
        return place == filesPlace || place == openedPlace;
    }

    /** Passes a signal on if the place is one. */
    void signals(int place) {
        if (place == filesPlace) {
            files.asked();
        } else if (place == openedPlace) {
            for (OpenResources kind : opened) {
                kind.asked();
            }
        }
    }

    /**
     * The place of {@link Sites} that is touched where ports and processes may have been opened.
     */
    int openedPlace() {
        for (OpenResources kind : opened) {
            kind.awaits();
        }
        return openedPlace;
    }

    /** The place of {@link Sites} that is touched where files may have been written. */
    int filesPlace() {
        return filesPlace;
    }

    List<ExternalState> outside() {
        return outside;
    }

    List<Root> all() {
        return all;
    }

    /** True if options give packages by name. */
    boolean includes() {
        return options.includes();
    }

    /**
     * A class is being loaded.
     *
     * @param woven it reports when it is initialised, where it has an initialiser
     */
    void loads(String internal, ProtectionDomain domain, ClassScan scan, boolean woven) {
        String name = internal.replace('/', '.');
        synchronized (expected) {
            if (!wanted(name, domain) || !scan.statics()) {
                return;
            }
            observed.add(name);
            if (!woven || !scan.initialiser() || scan.old()) {
                expected.put(name, 0);
            }
        }
    }

    /** The class's initialisation is about to end. */
    void arrives(Class<?> c) {
        synchronized (expected) {
            if (observed.contains(c.getName())) {
                arrivals.add(new WeakReference<Class<?>>(c));
            }
        }
    }

    private boolean wanted(String name, ProtectionDomain domain) {
        if (options.includes()) {
            return options.includes(name);
        }
        if (Exclusions.leftOut(name.replace('.', '/'))) {
            return false;
        }
        String pack = name.substring(0, name.lastIndexOf('.') + 1);
        CodeSource source = domain == null ? null : domain.getCodeSource();
        String at = source == null || source.getLocation() == null ? "" : source.getLocation().getPath();
        if (at.endsWith("/")) {
            packages.add(pack);
            folders.met(at);
            return true;
        }
        return at.isEmpty() && packages.contains(pack); // of one of the project's class loaders
    }

    /**
     * False for a class, by its internal name, none of whose static fields can be a root. This is
     * known before the class is loaded.
     */
    boolean mayHold(String owner) {
        return folders.mayHold(owner);
    }

    /** True for a class whose static fields are roots if it has any. */
    boolean observes(String internal, ProtectionDomain domain) {
        synchronized (expected) {
            return wanted(internal.replace('/', '.'), domain);
        }
    }

    /** True if the fields of the class are to be roots. */
    boolean observes(Class<?> c) {
        synchronized (expected) {
            return observed.contains(c.getName());
        }
    }

    /** Adds the classes that were loaded and initialised since the last call. */
    void update() {
        for (; jdkFields < ambient.fields().size(); jdkFields++) {
            add(new JdkRoot(ambient.fields().get(jdkFields)));
        }
        arrive();
        List<Class<?>> initialised = new ArrayList<Class<?>>();
        for (Iterator<WeakReference<Class<?>>> i = waiting.iterator(); i.hasNext();) {
            Class<?> c = i.next().get();
            if (c == null || !FieldAccess.memory.uninitialised(c)) {
                i.remove();
                if (c != null) {
                    initialised.add(c);
                }
            }
        }
        initialised.sort(BY_NAME); // a change below several roots is always reported for the same one
        for (Class<?> c : initialised) {
            add(c);
        }
    }

    private void arrive() {
        synchronized (expected) {
            for (WeakReference<Class<?>> one : arrivals) {
                Class<?> c = one.get();
                if (c != null && met.put(c, true) == null) {
                    waiting.add(one);
                }
            }
            arrivals.clear();
            if (expected.isEmpty()) {
                return;
            }
            for (Class<?> c : instrumentation.getAllLoadedClasses()) {
                if (!FieldResolver.ofJdk(c) && expected.containsKey(c.getName()) && !met.containsKey(c)) {
                    met.put(c, true);
                    waiting.add(new WeakReference<Class<?>>(c));
                }
            }
            for (Iterator<Map.Entry<String, Integer>> i = expected.entrySet().iterator(); i.hasNext();) {
                Map.Entry<String, Integer> e = i.next();
                if (e.setValue(e.getValue() + 1) + 1 >= LOOKS) {
                    i.remove();
                }
            }
        }
    }

    private void add(Class<?> c) {
        if (options.collect != null) {
            EagerLoading.met(options.collect, c);
        }
        try {
            Statics statics = Statics.of(c);
            Sites.Loader loader = sites.loader(c.getClassLoader());
            boolean unset = sites.isPlain(loader, c.getName().replace('.', '/'));
            Snapshot plain = unset ? new Snapshot() : statics.first;
            statics.first = null;
            int number = 0;
            for (Statics.Fld field : statics.fields.values()) {
                if (field.constant(null)) {
                    continue;
                }
                Root root = new Field(field);
                root.number = number;
                if (unset) {
                    plain.root(root, 0);
                }
                root.first = plain;
                root.firstNumber = number++;
                if (!options.excludesRoot(field.name)) {
                    add(root);
                }
            }
        } catch (Throwable t) {
            AgentApi.note("the static fields of " + c.getName() + " cannot be read: " + t);
        }
    }

    private void add(Root root) {
        root.number = all.size();
        all.add(root);
        if (root.observed() != null) {
            root.observed().root = root;
        }
    }

    /** A static field of the project. */
    static class Field extends Root {
        final Statics.Fld field;

        Field(Statics.Fld field) {
            super(field.name);
            this.field = field;
        }

        @Override
        ObservedState observed() {
            return field;
        }

        @Override
        boolean gone() {
            return field.gone();
        }

        @Override
        Class<?> primitive() {
            return field.primitive();
        }

        @Override
        Object held() {
            return field.held();
        }
    }

    /**
     * A static field of the JDK. Its object is compared by identity, or by its text if it is a
     * value.
     */
    private static final class JdkRoot extends Root {
        private static final Identities IDENTITIES = new Identities();
        private final Ambient.JdkField field;

        JdkRoot(Ambient.JdkField field) {
            super(field.name);
            this.field = field;
            if (!field.first.isEmpty()) {
                number = 0;
                first = new Snapshot();
                first.root(this, field.first.equals("true") ? 1 : Snapshot.NULL);
            }
        }

        @Override
        boolean gone() {
            return field.gone();
        }

        @Override
        Class<?> primitive() {
            return field.primitive();
        }

        @Override
        Object held() {
            Object held = field.held();
            if (held == null || primitive() != null || held instanceof java.util.Locale) {
                return held;
            } else if (held.getClass().getName().equals("sun.util.calendar.ZoneInfo")) {
                return ((java.util.TimeZone) held).getID();
            }
            return new NamedObject(held.getClass().getName(), IDENTITIES.of(held));
        }
    }

    /**
     * All system properties, if an object of the JDK's own class contains them. A project's class
     * could run any code when asked.
     */
    private static final class SystemProperties extends Root {
        SystemProperties() {
            super("system property");
        }

        @Override
        boolean gone() {
            return false;
        }

        @Override
        Object held() {
            Properties now = System.getProperties();
            return now.getClass() == Properties.class ? now : new NamedObject(now.getClass().getName(), 0);
        }

        @Override
        boolean entries() {
            return true;
        }

        @Override
        String place(String path) {
            return path;
        }
    }
}
