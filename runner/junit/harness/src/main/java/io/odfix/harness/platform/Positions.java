package io.odfix.harness.platform;

import io.odfix.harness.order.Node;
import java.util.HashMap;
import java.util.Map;
import org.junit.platform.engine.TestDescriptor;

/**
 * Finds the node of an event by its unique id. The id of a test that is registered during the run
 * begins with its method's id. An invocation of a class inserts a segment.
 */
final class Positions {
    private static final String INVOCATION = "/[class-template-invocation:";

    private final Map<String, Node> byId = new HashMap<String, Node>();

    Positions(Node root) {
        for (Node node : root.all()) {
            if (node.description != null) {
                byId.put(((TestDescriptor) node.description).getUniqueId().toString(), node);
            }
        }
    }

    /**
     * The node with exactly this id, in any invocation of its class. Null if there is none.
     */
    Node exact(String uniqueId) {
        return byId.get(withoutInvocations(uniqueId));
    }

    /** The nearest node whose id this id begins with. */
    Node around(String uniqueId) {
        String id = withoutInvocations(uniqueId);
        for (int cut = id.length(); cut > 0; cut = id.lastIndexOf("/[", cut - 1)) {
            Node node = byId.get(id.substring(0, cut));
            if (node != null) {
                return node;
            }
        }
        return null;
    }

    /** True for an invocation of a class as a whole. */
    static boolean isClassInvocation(String uniqueId) {
        return uniqueId.lastIndexOf("/[") == uniqueId.lastIndexOf(INVOCATION) && uniqueId.contains(INVOCATION);
    }

    private static String withoutInvocations(String uniqueId) {
        String id = uniqueId;
        for (int at = id.indexOf(INVOCATION); at >= 0; at = id.indexOf(INVOCATION)) {
            id = id.substring(0, at) + id.substring(id.indexOf(']', at) + 1);
        }
        return id;
    }

    /** The outermost class around the test that runs once per invocation, or null. */
    static Node template(Node node) {
        Node outermost = null;
        for (Node n = node; n != null; n = n.parent) {
            if (n.has(Node.TEMPLATE)) {
                outermost = n;
            }
        }
        return outermost;
    }
}
