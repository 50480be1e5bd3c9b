package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** How objects of one class are walked. */
final class Layout extends Offsets {
    enum Kind {
        /** By its fields. */
        PLAIN,
        /** An array. */
        ARRAY,
        /** By its content: a collection of the JDK. Capacities and cached views do not count. */
        LOOSE,
        /** By its text: a value of the JDK. */
        TEXT,
        /** By the class alone. */
        OPAQUE,
        /** By the value in the present thread. */
        THREAD_LOCAL,
    }

    private static final String CACHES =
            " modCount keySet values entrySet threshold sizeCtl transferIndex cellsBusy counterCells descendingMap navigableKeySet ";

    private static final ClassValue<Layout> LAYOUTS = new ClassValue<Layout>() {
        @Override
        protected Layout computeValue(Class<?> c) {
            return new Layout(c, kind(c));
        }
    };

    final Kind kind;
    final long name;
    final Class<?> component;

    private Layout(Class<?> c, Kind kind) {
        super(fields(c, kind));
        this.kind = kind;
        name = c.getName().hashCode() * 0x9E3779B97F4A7C15L;
        component = c.getComponentType();
    }

    /** The fields of its objects, from the topmost class down. */
    private static List<Field> fields(Class<?> c, Kind kind) {
        List<Field> fields = new ArrayList<Field>();
        if (kind == Kind.PLAIN || kind == Kind.LOOSE) {
            collect(c, kind == Kind.LOOSE, fields);
        }
        return fields;
    }

    /** @throws LinkageError if a class that a field is of cannot be loaded */
    static Layout of(Class<?> c) {
        return LAYOUTS.get(c);
    }

    /** True for objects that never change. */
    boolean immutable(Class<?> c) {
        return kind == Kind.TEXT && c != StringBuilder.class && c != StringBuffer.class && c != java.util.Date.class
                || kind == Kind.OPAQUE
                || kind == Kind.PLAIN && refs.length + prims.length == 0
                || kind == Kind.PLAIN && Enum.class.isAssignableFrom(c) && refs.length + prims.length <= 2;
    }

    private static Kind kind(Class<?> c) {
        if (c.isArray()) {
            return Kind.ARRAY;
        } else if (text(c)) {
            return Kind.TEXT;
        } else if (ThreadLocal.class.isAssignableFrom(c)) {
            return Kind.THREAD_LOCAL;
        } else if (c == Class.class || Exclusions.opaque(c) || isA(c, Thread.class, ThreadGroup.class, ClassLoader.class,
                java.lang.ref.Reference.class, Throwable.class, java.util.WeakHashMap.class)) {
            return Kind.OPAQUE;
        }
        return c.getName().startsWith("java.util.") && c.getClassLoader() == null ? Kind.LOOSE : Kind.PLAIN;
    }

    private static boolean isA(Class<?> c, Class<?>... parents) {
        for (Class<?> parent : parents) {
            if (parent.isAssignableFrom(c)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Only these classes of the JDK have a text with their complete value that no project can
     * override.
     */
    private static boolean text(Class<?> c) {
        String name = c.getName();
        return c == String.class || c == StringBuilder.class || c == StringBuffer.class
                || c == Integer.class || c == Long.class || c == Boolean.class || c == Character.class
                || c == Double.class || c == Float.class || c == Short.class || c == Byte.class
                || c == java.math.BigInteger.class || c == java.math.BigDecimal.class
                || c == java.util.Locale.class || c == java.util.UUID.class || c == java.util.Currency.class
                || c == java.util.Date.class || c == java.net.URI.class || c == java.io.File.class
                || name.startsWith("java.time.") && name.indexOf('$') < 0 && c.getClassLoader() == null && valueOfTime(c);
    }

    private static boolean valueOfTime(Class<?> c) {
        return java.time.temporal.TemporalAccessor.class.isAssignableFrom(c)
                || java.time.temporal.TemporalAmount.class.isAssignableFrom(c) || c == java.time.ZoneOffset.class;
    }

    private static void collect(Class<?> c, boolean loose, List<Field> into) {
        Class<?> parent = c.getSuperclass();
        if (parent != null && parent != Object.class) {
            collect(parent, loose, into);
        }
        for (Field f : c.getDeclaredFields()) {
            boolean cache = loose && cache(f) || c == Enum.class && f.getName().equals("hash");
            if (!Modifier.isStatic(f.getModifiers()) && !cache && !Exclusions.artificial(f.getName())) {
                into.add(f);
            }
        }
    }

    /**
     * Fields that do not count: views made on demand, counts of changes, and the position of a
     * queue in its array.
     */
    static boolean cache(Field f) {
        return CACHES.contains(" " + f.getName() + " ")
                || f.getType() == int.class && (f.getName().equals("head") || f.getName().equals("tail"));
    }
}
