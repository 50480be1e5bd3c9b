package io.odfix.harness.platform;

import io.odfix.harness.order.Node;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;

/**
 * The build's choice of tags ({@code odfix.groups}, {@code odfix.excludedGroups}: tag expressions
 * separated by commas, as Surefire passes them), applied during discovery. Also sets the flag of
 * disabled tests. An order runs each of its tests, whatever its tags.
 */
final class Tags {
    private final List<PostDiscoveryFilter> filters = new ArrayList<PostDiscoveryFilter>();

    Tags() {
        List<String> included = expressions("odfix.groups");
        List<String> excluded = expressions("odfix.excludedGroups");
        if (!included.isEmpty()) {
            filters.add(TagFilter.includeTags(included));
        }
        if (!excluded.isEmpty()) {
            filters.add(TagFilter.excludeTags(excluded));
        }
    }

    private static List<String> expressions(String property) {
        List<String> all = new ArrayList<String>();
        for (String expression : System.getProperty(property, "").split(",")) {
            if (!expression.trim().isEmpty()) {
                all.add(expression.trim());
            }
        }
        return all;
    }

    /**
     * Removes the tests below that the build leaves out, and flags disabled tests and tests of
     * templates.
     *
     * @return true if nothing is left
     */
    boolean mark(Node node) {
        if (node.isTest()) {
            TestDescriptor descriptor = (TestDescriptor) node.description;
            node.flags |= Declared.isDisabled(descriptor) ? Node.DISABLED : 0;
            return !admits(descriptor);
        }
        for (Iterator<Node> children = node.children.iterator(); children.hasNext(); ) {
            if (mark(children.next())) {
                children.remove();
            }
        }
        if (node.has(Node.TEMPLATE)) {
            for (Node test : node.tests()) {
                test.flags |= Node.DYNAMIC;
            }
        }
        return node.children.isEmpty();
    }

    private boolean admits(TestDescriptor descriptor) {
        for (PostDiscoveryFilter filter : filters) {
            if (filter.apply(descriptor).excluded()) {
                return false;
            }
        }
        return true;
    }
}
