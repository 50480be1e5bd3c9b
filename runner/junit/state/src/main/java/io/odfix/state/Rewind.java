package io.odfix.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * Places that are remembered as they are, and put back later. A class whose field is among them is initialised to
 * be remembered: what its initialiser does, it does earlier than else.
 */
final class Rewind {
    private static final String PROPERTY = "system property ";

    /** How one place fared. */
    enum How {
        /** It had changed, and is as it was. */
        BACK('b'),
        /** It had not changed. */
        SAME('s'),
        /** It cannot be put back. */
        FAILED('x');

        final char letter;

        How(char letter) {
            this.letter = letter;
        }
    }

    private final Graph graph;
    private final Journal journal = new Journal();
    private final List<Place> places = new ArrayList<Place>();

    /** One place. */
    private abstract static class Place {
        final String name;
        long held;
        String problem = "";

        Place(String name) {
            this.name = name;
        }

        /** A fingerprint of what it holds. */
        abstract long now(Graph graph);

        abstract void back();
    }

    /** @param graph is walked with; nobody else may use it meanwhile */
    Rewind(List<String> names, Graph graph) {
        this.graph = graph;
        for (String name : names) {
            places.add(place(name));
        }
        for (Place place : places) {
            remember(place);
        }
    }

    private Place place(String name) {
        if (name.startsWith(PROPERTY)) {
            return new PropertyPlace(name);
        }
        try {
            return field(name);
        } catch (Throwable t) {
            Place lost = new LostPlace(name);
            lost.problem = "it cannot be remembered: " + t;
            return lost;
        }
    }

    private Place field(String name) throws ReflectiveOperationException {
        int dot = name.lastIndexOf('.');
        Class<?> owner = Class.forName(name.substring(0, dot), true, ClassLoader.getSystemClassLoader());
        List<StaticField> fields = new ArrayList<StaticField>();
        fields.add(new StaticField(owner.getDeclaredField(name.substring(dot + 1))));
        if (owner == java.util.Locale.class) { // setDefault puts them all
            fields.add(new StaticField(owner.getDeclaredField("defaultDisplayLocale")));
            fields.add(new StaticField(owner.getDeclaredField("defaultFormatLocale")));
        }
        return new FieldPlace(name, fields, journal);
    }

    private void remember(Place place) {
        if (place.problem.isEmpty()) {
            place.held = place.now(graph);
            if (!graph.whole()) {
                place.problem = "more hangs on it than can be looked at";
            }
        }
    }

    /** Puts everything back, and looks whether it is as it was: for each place its name, how it fared, and why. */
    Bytes back() {
        Bytes out = new Bytes('r');
        Bytes all = new Bytes(' ');
        boolean[] same = new boolean[places.size()];
        for (int i = 0; i < same.length; i++) {
            same[i] = places.get(i).problem.isEmpty() && places.get(i).now(graph) == places.get(i).held && graph.whole();
        }
        journal.back();
        for (int i = 0; i < same.length; i++) {
            Place place = places.get(i);
            put(place);
            How how = !place.problem.isEmpty() ? How.FAILED : same[i] ? How.SAME : How.BACK;
            all.str(place.name).u8(how.letter).str(place.problem);
        }
        return out.list(same.length, all);
    }

    private void put(Place place) {
        if (!place.problem.isEmpty()) {
            return;
        }
        try {
            place.back();
            if (!journal.whole()) {
                place.problem = "more hangs on it than can be put back";
            } else if (journal.weak()) {
                place.problem = "weak references hang on it, or on a place beside it, and are left as they are";
            } else if (place.now(graph) != place.held) {
                place.problem = "put back, it is not as it was";
            }
        } catch (Throwable t) {
            place.problem = "it cannot be put back: " + t;
        }
    }

    /** A static field, others that go with it, and all below them. */
    private static final class FieldPlace extends Place {
        private final List<StaticField> fields;
        private final Object[] references;
        private final long[] primitives;

        FieldPlace(String name, List<StaticField> fields, Journal journal) {
            super(name);
            this.fields = fields;
            references = new Object[fields.size()];
            primitives = new long[references.length];
            for (int i = 0; i < references.length; i++) {
                references[i] = fields.get(i).reference();
                primitives[i] = fields.get(i).primitive();
                journal.keep(references[i]);
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

        @Override
        void back() {
            for (int i = 0; i < references.length; i++) {
                fields.get(i).put(references[i], primitives[i]);
            }
        }
    }

    /** A system property, where the JDK's own class holds it. */
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
        void back() {
            if (value == null) {
                properties().remove(key);
            } else {
                properties().put(key, value);
            }
        }
    }

    /** A place that is not found. */
    private static final class LostPlace extends Place {
        LostPlace(String name) {
            super(name);
        }

        @Override
        long now(Graph graph) {
            return graph.of(null);
        }

        @Override
        void back() {}
    }
}
