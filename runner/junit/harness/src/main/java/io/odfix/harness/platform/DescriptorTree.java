package io.odfix.harness.platform;

import io.odfix.harness.order.Ids;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Tree;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/** The tree below an engine: launched classes, nested classes, methods. */
final class DescriptorTree {
    private DescriptorTree() {}

    /** Everything that an engine found; its children are the launched classes. */
    static Node engine(TestDescriptor root) {
        Node engine = group(root.getUniqueId().toString(), root);
        for (TestDescriptor child : root.getChildren()) {
            String launched = testClass(child, child.getDisplayName());
            Node node = build(child, launched, launched);
            if (node.isTest()) {
                node = Node.group(launched, child, null, null).add(node);
            }
            node.name = launched;
            Tree.number(node);
            engine.add(node);
        }
        return engine;
    }

    private static Node build(TestDescriptor descriptor, String launched, String around) {
        String testClass = testClass(descriptor, around);
        if (isTest(descriptor)) {
            return test(descriptor, launched, testClass);
        }
        Node group = group(testClass.equals(around) ? descriptor.getDisplayName() : testClass, descriptor);
        String type = lastType(descriptor);
        if (type.equals("class-template") || type.equals("nested-class-template")) {
            group.flags |= Node.TEMPLATE;
        }
        for (TestDescriptor child : descriptor.getChildren()) {
            group.add(build(child, launched, testClass));
        }
        if (mixed(group) && descriptor.getUniqueId().toString().contains("[engine:junit-jupiter]")) {
            group.flags |= Node.TESTS_FIRST; // methods run before nested classes
        }
        return group;
    }

    /** True if the group has tests and groups. */
    private static boolean mixed(Node group) {
        boolean test = false;
        boolean other = false;
        for (Node child : group.children) {
            test |= child.isTest();
            other |= !child.isTest();
        }
        return test && other;
    }

    /** A method that creates its tests while it runs is one test, too. */
    private static boolean isTest(TestDescriptor descriptor) {
        if (descriptor.isTest() || descriptor.getSource().orElse(null) instanceof MethodSource) {
            return true;
        }
        return descriptor.getChildren().isEmpty() && descriptor.mayRegisterTests() && !descriptor.isRoot();
    }

    private static Node test(TestDescriptor descriptor, String launched, String testClass) {
        String name = descriptor.getDisplayName();
        TestSource source = descriptor.getSource().orElse(null);
        if (source instanceof MethodSource) {
            name = signature((MethodSource) source);
        }
        Node test = Node.test(Ids.of(launched, testClass, name), descriptor, descriptor);
        if (!descriptor.isTest()) {
            test.flags |= Node.DYNAMIC;
        }
        return test;
    }

    /** {@code m} without parameters, otherwise {@code m(int, String)}. */
    private static String signature(MethodSource method) {
        String types = method.getMethodParameterTypes();
        if (types == null || types.trim().isEmpty()) {
            return method.getMethodName();
        }
        StringBuilder out = new StringBuilder(method.getMethodName()).append('(');
        String[] each = types.split(",");
        for (int i = 0; i < each.length; i++) {
            out.append(i == 0 ? "" : ", ").append(Ids.simpleType(each[i].trim()));
        }
        return out.append(')').toString();
    }

    private static String testClass(TestDescriptor descriptor, String otherwise) {
        TestSource source = descriptor.getSource().orElse(null);
        if (source instanceof ClassSource) {
            return ((ClassSource) source).getClassName();
        }
        return source instanceof MethodSource ? ((MethodSource) source).getClassName() : otherwise;
    }

    private static Node group(String name, final TestDescriptor descriptor) {
        return Node.group(name, descriptor, descriptor, new Node.Branch() {
            @Override
            public void keep(List<Object> children) {
                for (TestDescriptor child : new ArrayList<TestDescriptor>(descriptor.getChildren())) {
                    descriptor.removeChild(child);
                }
                for (Object child : children) {
                    descriptor.addChild((TestDescriptor) child);
                }
            }
        });
    }

    /** The type in the last segment of a unique id, {@code [engine:e]/[type:value]}. */
    private static String lastType(TestDescriptor descriptor) {
        String id = descriptor.getUniqueId().toString();
        int open = id.lastIndexOf('[');
        int colon = id.indexOf(':', open);
        return open < 0 || colon < 0 ? "" : id.substring(open + 1, colon);
    }
}
