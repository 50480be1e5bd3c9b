package io.odfix.harness.order;

import java.lang.reflect.Field;

/** Fields that frameworks keep private, under whichever of their names this version has. */
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

    /** What the object holds in the first of the fields that its class has or inherits, or null. */
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
