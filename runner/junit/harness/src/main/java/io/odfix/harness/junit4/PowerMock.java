package io.odfix.harness.junit4;

import io.odfix.harness.order.Node;
import io.odfix.harness.order.PrivateMembers;
import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Description;
import org.junit.runner.Runner;

/**
 * PowerMock's runner. It splits a class into chunks, each with its own class loader and delegate.
 * Its description is made once, so the result of filtering or sorting cannot be checked. Its lists
 * are therefore set directly. This code needs no class of PowerMock.
 */
final class PowerMock {
    private static final String RUNNER = "org.powermock.modules.junit4.common.internal.impl.AbstractCommonPowerMockRunner";

    private PowerMock() {}

    static boolean is(Runner runner) {
        for (Class<?> c = runner.getClass(); c != null; c = c.getSuperclass()) {
            if (c.getName().equals(RUNNER)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The runner's tests, a group for each chunk. Null if this version keeps them in an unknown
     * field.
     */
    static Node group(Runner runner, Object child, Description description, RunnerTree tree) {
        Object chunker = PrivateMembers.get(runner, "suiteChunker");
        List<Object> delegates = list(chunker, "delegates");
        List<Object> suites = list(chunker, "internalSuites");
        List<Object> chunks = suites == null || suites.size() != 1 ? null : list(suites.get(0), "testChunks");
        if (delegates == null || chunks == null || delegates.size() != chunks.size()) {
            return null;
        }
        Node group = Node.group(description.getDisplayName(), child, description, chunks(delegates, chunks));
        for (Object delegate : delegates) {
            Node part = chunk(delegate, tree);
            if (part == null) {
                return null;
            }
            group.add(part);
        }
        return group;
    }

    /** The chunks run in the order of one list, with the class loaders of the other list. */
    private static Node.Branch chunks(final List<Object> delegates, final List<Object> chunks) {
        return new Node.Branch() {
            @Override
            public void keep(List<Object> children) {
                List<Object> oldDelegates = new ArrayList<Object>(delegates);
                List<Object> oldChunks = new ArrayList<Object>(chunks);
                delegates.clear();
                chunks.clear();
                for (Object child : children) {
                    delegates.add(child);
                    chunks.add(oldChunks.get(oldDelegates.indexOf(child)));
                }
            }
        };
    }

    private static Node chunk(Object delegate, RunnerTree tree) {
        Description description = ((Runner) delegate).getDescription();
        Object inner = PrivateMembers.get(delegate, "delegate"); // @PowerMockRunnerDelegate
        if (inner instanceof Runner) {
            return tree.build((Runner) inner, delegate, description);
        }
        final List<Object> methods = list(delegate, "testMethods");
        List<Description> tests = description.getChildren();
        if (methods == null || methods.size() != tests.size()) {
            return null;
        }
        Node group = Node.group(description.getDisplayName(), delegate, description, new Node.Branch() {
            @Override
            public void keep(List<Object> children) {
                methods.clear();
                methods.addAll(children);
            }
        });
        for (int i = 0; i < tests.size(); i++) {
            group.add(tree.leaf(methods.get(i), tests.get(i)));
        }
        return group;
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object target, String name) {
        Object value = PrivateMembers.get(target, name);
        return value instanceof List ? (List<Object>) value : null;
    }
}
