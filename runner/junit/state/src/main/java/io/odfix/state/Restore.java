package io.odfix.state;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * Saves state and restores it later. Saving a field initialises its class earlier than the tests
 * would. Tests may make class loaders that load a class of the same name. The state of such a class
 * is saved when its initialiser ends, and restored with the rest.
 */
final class Restore {
    private static final String PROPERTY = "system property ";
    /** Before the name of a class that is only to be initialised. */
    private static final String CLASS = "class ";

    private final Graph graph;
    private final SavedObjects saved = new SavedObjects();
    private final List<Place> places = new ArrayList<Place>();
    private final Instrumentation instrumentation;
    private final Sites sites;
    /** Names of places by the name of their class. */
    private final Map<String, List<String>> byClass = new HashMap<String, List<String>>();
    /** Classes of these names whose places are remembered, or that are known to have none. */
    private final Set<Class<?>> met = Collections.newSetFromMap(new IdentityHashMap<Class<?>, Boolean>());

    /** One place. */
    private abstract static class Place {
        final String name;
        long held;
        String problem = "";
        /** It belongs to a class of another class loader. */
        boolean elsewhere;

        Place(String name) {
            this.name = name;
        }

        /** A fingerprint of its content. */
        abstract long now(Graph graph);

        abstract void restore();
    }

    /**
     * @param graph computes fingerprints; nothing else may use it at the same time
     * @param sites has the classes without an initialiser
     */
    Restore(List<String> names, Graph graph, Instrumentation instrumentation, Sites sites) {
        this.graph = graph;
        this.instrumentation = instrumentation;
        this.sites = sites;
        for (String name : names) {
            Place place = place(name);
            if (place != null) {
                places.add(place);
            }
        }
        for (Place place : places) {
            remember(place);
        }
        for (Class<?> copy : unmet()) {
            copy(copy, false);
        }
    }

    /** True for a class with remembered places. */
    boolean remembers(String className) {
        return byClass.containsKey(className);
    }

    /** The class has just been initialised. */
    void classInitialised(Class<?> c) {
        if (met.add(c)) {
            copy(c, false);
        }
    }

    /**
     * Initialised classes, with the names of those with remembered places, that were unknown so
     * far.
     */
    private List<Class<?>> unmet() {
        List<Class<?>> out = new ArrayList<Class<?>>();
        for (Class<?> c : instrumentation.getAllLoadedClasses()) {
            if (remembers(c.getName()) && !FieldAccess.memory.uninitialised(c) && met.add(c)) {
                out.add(c);
            }
        }
        return out;
    }

    /**
     * Remembers the places of a class that another class loader has also loaded.
     *
     * @param unset its fields were first null or zero; otherwise their present values are saved
     */
    private void copy(Class<?> c, boolean unset) {
        for (String name : byClass.get(c.getName())) {
            try {
                FieldPlace place = new FieldPlace(name, Collections.singletonList(new StaticField(c.getDeclaredField(fieldOf(name)))), saved, unset);
                place.elsewhere = true;
                places.add(place);
                if (unset) {
                    place.held = place.unset(graph);
                } else {
                    remember(place);
                }
            } catch (NoSuchFieldException e) {
                continue; // another version of the class
            } catch (Throwable t) {
                places.add(new LostPlace(name, "it cannot be saved: " + t));
            }
        }
    }

    /**
     * Classes that were initialised unobserved. Their initial state is known only if they have no
     * initialiser.
     */
    private void unseenCopies() {
        for (Class<?> c : unmet()) {
            if (sites.isPlain(sites.loader(c.getClassLoader()), Setup.internal(c))) {
                copy(c, true);
                continue;
            }
            for (String name : byClass.get(c.getName())) {
                places.add(new LostPlace(name, "another class loader has loaded its class, too, and what it held there at first was not seen"));
            }
        }
    }

    /** Places of classes that only the tests' own class loaders could have, but did not load. */
    private void missing() {
        Set<String> names = new HashSet<String>();
        for (Place place : places) {
            names.add(place.name);
        }
        for (List<String> of : byClass.values()) {
            for (String name : of) {
                if (!names.contains(name)) {
                    places.add(new LostPlace(name, "no class loader has its class"));
                }
            }
        }
    }

    private static String fieldOf(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** @return null if its class is missing, or not loaded yet, or was only to be initialised */
    private Place place(String name) {
        if (name.startsWith(PROPERTY)) {
            return new PropertyPlace(name);
        }
        try {
            if (name.startsWith(CLASS)) {
                initialise(name.substring(CLASS.length()));
                return null;
            }
            return field(name);
        } catch (Throwable t) {
            return new LostPlace(name, "it cannot be saved: " + t);
        }
    }

    private static void initialise(String className) {
        try {
            Class.forName(className, true, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException e) {
            return; // tests may have a class loader for it
        }
    }

    private Place field(String name) throws ReflectiveOperationException {
        String className = name.substring(0, name.lastIndexOf('.'));
        if (!remembers(className)) {
            byClass.put(className, new ArrayList<String>());
        }
        byClass.get(className).add(name);
        Class<?> owner;
        try {
            owner = Class.forName(className, true, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException e) {
            return null; // tests may have a class loader for it
        }
        met.add(owner);
        List<StaticField> fields = new ArrayList<StaticField>();
        fields.add(new StaticField(owner.getDeclaredField(fieldOf(name))));
        if (owner == java.util.Locale.class) { // setDefault puts them all
            fields.add(new StaticField(owner.getDeclaredField("defaultDisplayLocale")));
            fields.add(new StaticField(owner.getDeclaredField("defaultFormatLocale")));
        }
        return new FieldPlace(name, fields, saved, false);
    }

    private void remember(Place place) {
        if (place.problem.isEmpty()) {
            place.held = place.now(graph);
            if (!graph.whole()) {
                place.problem = "it holds more than can be compared";
            }
        }
    }

    /**
     * Restores everything, and compares it with the saved state. Returns the result for each name,
     * and the reason of a failure. docs/harness-protocol.md lists the letters of results.
     */
    Bytes restore() {
        unseenCopies();
        missing();
        Bytes out = new Bytes('r');
        Bytes all = new Bytes(' ');
        boolean[] same = new boolean[places.size()];
        for (int i = 0; i < same.length; i++) {
            same[i] = places.get(i).problem.isEmpty() && places.get(i).now(graph) == places.get(i).held && graph.whole();
        }
        saved.restore();
        for (int i = 0; i < same.length; i++) {
            Place place = places.get(i);
            put(place);
            char how = !place.problem.isEmpty() ? 'x' : same[i] ? 's' : place.elsewhere ? 'e' : 'b';
            all.str(place.name).u8(how).str(place.problem);
        }
        return out.list(same.length, all);
    }

    private void put(Place place) {
        if (!place.problem.isEmpty()) {
            return;
        }
        try {
            place.restore();
            if (!saved.whole()) {
                place.problem = "it holds more than can be restored";
            } else if (saved.weak()) {
                place.problem = "it, or a place beside it, holds weak references, which are left as they are";
            } else if (place.now(graph) != place.held) {
                place.problem = "after restoring, it differs from what it was";
            }
        } catch (Throwable t) {
            place.problem = "it cannot be restored: " + t;
        }
    }

    /** A static field, other fields that belong to it, and all objects below them. */
    private static final class FieldPlace extends Place {
        private final List<StaticField> fields;
        private final Object[] references;
        private final long[] primitives;

        /** @param unset the fields are restored to null and zero, whatever their present values */
        FieldPlace(String name, List<StaticField> fields, SavedObjects saved, boolean unset) {
            super(name);
            this.fields = fields;
            references = new Object[fields.size()];
            primitives = new long[references.length];
            for (int i = 0; i < references.length && !unset; i++) {
                references[i] = fields.get(i).reference();
                primitives[i] = fields.get(i).primitive();
                saved.keep(references[i]);
            }
        }

        @Override
        long now(Graph graph) {
            if (fields.size() == 1) {
                StaticField field = fields.get(0);
                long below = graph.of(field.reference());
                return field.type.isPrimitive() ? field.primitive() : below;
            }
            Object[] all = new Object[references.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = fields.get(i).reference();
            }
            return graph.of(all);
        }

        /** As now, of one field that is null or zero. */
        long unset(Graph graph) {
            long none = graph.of(null);
            return fields.get(0).type.isPrimitive() ? 0 : none;
        }

        @Override
        void restore() {
            for (int i = 0; i < references.length; i++) {
                fields.get(i).put(references[i], primitives[i]);
            }
        }
    }

    /** A system property, if an object of the JDK's own class contains it. */
    private static final class PropertyPlace extends Place {
        private final String key;
        private final Object value;

        PropertyPlace(String name) {
            super(name);
            key = name.substring(PROPERTY.length());
            value = properties().get(key);
        }

        private static Properties properties() {
            Properties all = System.getProperties();
            return all.getClass() == Properties.class ? all : new Properties();
        }

        @Override
        long now(Graph graph) {
            return graph.of(properties().get(key));
        }

        @Override
        void restore() {
            if (value == null) {
                properties().remove(key);
            } else {
                properties().put(key, value);
            }
        }
    }

    /** A place that is not found, or that differs from its first state. */
    private static final class LostPlace extends Place {
        LostPlace(String name, String problem) {
            super(name);
            this.problem = problem;
        }

        @Override
        long now(Graph graph) {
            return graph.of(null);
        }

        @Override
        void restore() {}
    }
}
