package io.odfix.harness.order;

import java.lang.reflect.Field;

/** Private fields of frameworks. Their names differ between versions. */
public final class PrivateMembers {
    private PrivateMembers() {}

    /** The first of the fields that the class declares, or null. */
    public static Field field(Class<?> c, String... names) {
        for (String name : names) {
            try {
                Field field = c.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                continue;
            }
        }
        return null;
    }

    /**
     * The value of the first of these fields that the object's class has or inherits, or null.
     */
    public static Object get(Object target, String... names) {
        for (Class<?> c = target == null ? null : target.getClass(); c != null; c = c.getSuperclass()) {
            Field field = field(c, names);
            if (field != null) {
                try {
                    return field.get(target);
                } catch (IllegalAccessException e) {
                    return null;
                }
            }
        }
        return null;
    }
}
