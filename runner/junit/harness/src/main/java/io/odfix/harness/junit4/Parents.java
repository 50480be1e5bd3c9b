package io.odfix.harness.junit4;

import io.odfix.harness.order.PrivateMembers;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runners.ParentRunner;

/** Access to a private part of ParentRunner: the children that it is going to run. */
final class Parents {
    private static final Method CHILDREN = method("getFilteredChildren");
    private static final Method DESCRIBE = method("describeChild", Object.class);
    private static final Field FIELD = PrivateMembers.field(ParentRunner.class, "filteredChildren", "fFilteredChildren");

    private Parents() {}

    /** The children in the order in which they would run. */
    static List<Object> children(ParentRunner<?> runner) {
        return new ArrayList<Object>((Collection<?>) call(CHILDREN, runner));
    }

    static Description describe(ParentRunner<?> runner, Object child) {
        return (Description) call(DESCRIBE, runner, child);
    }

    /**
     * False before JUnit 4.9, where a runner keeps a filter and a sorter instead of its children.
     */
    static boolean settable() {
        return FIELD != null;
    }

    static void set(ParentRunner<?> runner, List<Object> children) {
        try {
            // The list must be mutable: some versions of JUnit remove children from it when they
            // filter.
            FIELD.set(runner, new ArrayList<Object>(children));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(Method method, Object target, Object... args) {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Method method(String name, Class<?>... parameters) {
        try {
            Method method = ParentRunner.class.getDeclaredMethod(name, parameters);
            method.setAccessible(true);
            return method;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("this JUnit's ParentRunner has no " + name, e);
        }
    }
}
