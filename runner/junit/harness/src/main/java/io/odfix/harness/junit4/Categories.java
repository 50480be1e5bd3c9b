package io.odfix.harness.junit4;

import io.odfix.harness.order.Groups;
import io.odfix.harness.order.Node;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import org.junit.runner.Description;

/**
 * The build's choice of categories ({@code odfix.groups}, {@code odfix.excludedGroups}), applied
 * during discovery. An order runs each of its tests, whatever its category. {@code @Category} is
 * read by name, because it exists only since JUnit 4.8.
 */
final class Categories {
    private final Groups groups = Groups.configured();

    void prune(Node root) {
        if (groups != null) {
            prune(root, new HashSet<String>());
        }
    }

    /** @return true if nothing is left below */
    private boolean prune(Node node, Set<String> inherited) {
        Set<String> own = new HashSet<String>(inherited);
        collect((Description) node.description, own);
        if (node.isTest()) {
            return !groups.admits(own);
        }
        for (Iterator<Node> children = node.children.iterator(); children.hasNext(); ) {
            if (prune(children.next(), own)) {
                children.remove();
            }
        }
        return node.children.isEmpty();
    }

    private static void collect(Description description, Set<String> into) {
        for (Annotation annotation : annotations(description)) {
            if (annotation.annotationType().getName().equals("org.junit.experimental.categories.Category")) {
                for (Class<?> category : values(annotation)) {
                    addWithSupertypes(category, into);
                }
            }
        }
    }

    private static List<Annotation> annotations(Description description) {
        return new ArrayList<Annotation>(description.getAnnotations());
    }

    private static Class<?>[] values(Annotation category) {
        try {
            return (Class<?>[]) category.annotationType().getMethod("value").invoke(category);
        } catch (ReflectiveOperationException e) {
            return new Class<?>[0];
        }
    }

    /** A test of a category also belongs to that category's supertypes. */
    private static void addWithSupertypes(Class<?> category, Set<String> into) {
        if (category == null || category == Object.class || !into.add(category.getName())) {
            return;
        }
        addWithSupertypes(category.getSuperclass(), into);
        for (Class<?> each : category.getInterfaces()) {
            addWithSupertypes(each, into);
        }
    }
}
