package io.odfix.harness;

import java.lang.reflect.Field;

/**
 * Each statement of a patch under minimisation has a switch. The run command says which switches
 * are on.
 */
public final class Switch {
    /** Statement i is on if character i is 1, or if the string is shorter. */
    static volatile String mask = "";

    /**
     * The field with the mask that run commands set. It is needed if a test's class loader
     * (PowerMock's) has made a copy of this class.
     */
    private static final Field ORIGINAL = original();

    private Switch() {}

    /** True if statement {@code i} is to run. */
    public static boolean on(int i) {
        String mask = mask();
        return i >= mask.length() || mask.charAt(i) == '1';
    }

    /**
     * Throws what the statement threw if it is the only one that is on. If several are on, one that
     * throws must not keep the others from running.
     */
    public static void threw(Throwable t) {
        String mask = mask();
        int first = mask.indexOf('1');
        if (first >= 0 && first == mask.lastIndexOf('1')) {
            Switch.<RuntimeException>rethrow(t);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void rethrow(Throwable t) throws T {
        throw (T) t;
    }

    private static String mask() {
        if (ORIGINAL == null) {
            return mask;
        }
        try {
            return (String) ORIGINAL.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field original() {
        try {
            Class<?> loaded = Class.forName(Switch.class.getName(), false, ClassLoader.getSystemClassLoader());
            if (loaded == Switch.class) {
                return null;
            }
            Field field = loaded.getDeclaredField("mask");
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
