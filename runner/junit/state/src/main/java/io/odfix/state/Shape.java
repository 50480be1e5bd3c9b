package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/**
 * How objects of one class are captured. It references no class of the project, because captures
 * contain shapes and must not keep anything from being collected.
 */
final class Shape extends Offsets {
    enum Kind {
        /** By its fields, and by its content if it is a collection. */
        FIELDS,
        OBJECTS,
        NUMBERS,
        TEXT,
        /** By its class alone. */
        OPAQUE,
        THREAD_LOCAL
    }

    private static volatile Options options;

    private static final ClassValue<Shape> SHAPES = new ClassValue<Shape>() {
        @Override
        protected Shape computeValue(Class<?> c) {
            List<Field> fields = new ArrayList<Field>();
            Kind kind = kind(c);
            CollectionContent content = kind == Kind.FIELDS ? collect(c, fields) : null;
            return new Shape(c, kind, fields, content);
        }
    };

    final Kind kind;
    final String name;
    final boolean constant; // of an enum
    final String[] primNames;
    final String[] refNames;
    /** Null if it is not a collection. */
    final CollectionContent content;
    /** The value for any object of an opaque class. */
    final NamedObject opaque;

    private Shape(Class<?> c, Kind kind, List<Field> fields, CollectionContent content) {
        super(fields);
        this.kind = kind;
        this.content = content;
        name = c.getName();
        constant = Enum.class.isAssignableFrom(c);
        opaque = new NamedObject(name, 0);
        primNames = names(fields, true);
        refNames = names(fields, false);
    }

    static void configure(Options chosen) {
        options = chosen;
    }

    /** @throws LinkageError if a class that a field is of cannot be loaded */
    static Shape of(Class<?> c) {
        return SHAPES.get(c);
    }

    private static Kind kind(Class<?> c) {
        if (c.isArray()) {
            return c.getComponentType().isPrimitive() ? Kind.NUMBERS : Kind.OBJECTS;
        } else if (Proxy.isProxyClass(c)) {
            return Kind.FIELDS;
        }
        switch (Layout.of(c).kind) {
            case TEXT:
                return Kind.TEXT;
            case OPAQUE:
                return Kind.OPAQUE;
            case THREAD_LOCAL:
                return Kind.THREAD_LOCAL;
            default:
                return Kind.FIELDS;
        }
    }

    /** The fields down to a collection of the JDK, whose content replaces its own fields. */
    private static CollectionContent collect(Class<?> c, List<Field> into) {
        if (c == null || c == Object.class) {
            return null;
        }
        boolean jdk = c.getClassLoader() == null;
        CollectionContent known = jdk ? CollectionContent.of(c.getName()) : null;
        if (known != null) {
            return known;
        }
        boolean wraps = jdk && wrapper(c.getName());
        known = collect(c.getSuperclass(), into);
        for (Field f : c.getDeclaredFields()) {
            if (!Modifier.isStatic(f.getModifiers()) && !skipped(c, f, known, jdk)
                    && (!wraps || f.getName().equals("c") || f.getName().equals("m"))) {
                into.add(f);
            }
        }
        return known;
    }

    /** Views of another collection's content. */
    private static boolean wrapper(String name) {
        return name.startsWith("java.util.Collections$Unmodifiable") || name.startsWith("java.util.Collections$Synchronized")
                || name.startsWith("java.util.Collections$Checked");
    }

    private static boolean skipped(Class<?> c, Field f, CollectionContent known, boolean jdk) {
        Options chosen = options;
        return Exclusions.artificial(f.getName()) || c == Enum.class
                || jdk && (known != null || c.getName().startsWith("java.util.") && Layout.cache(f))
                || chosen != null && chosen.excludesField(c.getName() + "." + f.getName());
    }

    private static String[] names(List<Field> fields, boolean primitive) {
        List<String> out = new ArrayList<String>();
        for (Field f : fields) {
            if (f.getType().isPrimitive() == primitive) {
                boolean silent = f.getDeclaringClass().getClassLoader() == null && wrapper(f.getDeclaringClass().getName());
                out.add(silent ? "" : "." + f.getName());
            }
        }
        return out.toArray(new String[0]);
    }
}
