package io.odfix.harness;

import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Refused;
import io.odfix.harness.wire.Frame;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/** Finds the tests of a class, as the project's build would see them. Runs no test. */
final class ClassDiscovery {
    private final List<Driver> drivers;

    ClassDiscovery(List<Driver> drivers, List<String> names) {
        this.drivers = drivers;
        List<Class<?>> classes = new ArrayList<Class<?>>();
        for (String name : names) {
            try {
                classes.add(load(name));
            } catch (Throwable t) {
                continue; // look() reports it later
            }
        }
        for (Driver driver : drivers) {
            driver.expect(claimed(driver, classes));
        }
    }

    private static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ClassLoader.getSystemClassLoader());
    }

    private static List<Class<?>> claimed(Driver driver, List<Class<?>> classes) {
        List<Class<?>> mine = new ArrayList<Class<?>>();
        for (Class<?> c : classes) {
            try {
                if (driver.claims(c)) {
                    mine.add(c);
                }
            } catch (LinkageError e) {
                continue; // look() reports it later
            }
        }
        return mine;
    }

    /**
     * Discovers one class. A class that breaks is a problem of its own, and does not affect others.
     */
    Frame at(String name) {
        try {
            return at(load(name));
        } catch (ClassNotFoundException e) {
            return frame(name, "none", "the class is not on the class path", 0, new ArrayList<Node>());
        } catch (Throwable t) {
            return frame(name, "none", "the class cannot be loaded: " + Failure.rootCause(t), 0, new ArrayList<Node>());
        }
    }

    private Frame at(Class<?> c) {
        if (Members.isSpock(c)) {
            return frame(c.getName(), Modifier.isAbstract(c.getModifiers()) ? "none" : "spock", "", 0, new ArrayList<Node>());
        }
        List<Node> tests = new ArrayList<Node>();
        String framework = "none";
        String problem = "";
        int flags = 0;
        for (Driver driver : drivers) {
            try {
                Node root = driver.claims(c) ? driver.look(c) : null;
                if (root != null && !root.tests().isEmpty()) {
                    framework = driver.framework(); // for a class that mixes two frameworks, the Platform
                    flags |= root.flags & Node.PUBLIC;
                    tests.addAll(root.children);
                }
            } catch (Refused e) {
                framework = driver.framework();
                problem = e.getMessage();
            }
        }
        if (framework.equals("none") && Members.isTestNg(c)) {
            framework = "testng";
        }
        return frame(c.getName(), framework, problem, flags, tests);
    }

    private static Frame frame(String name, String framework, String problem, int flags, List<Node> nodes) {
        Frame frame = head(name, framework, problem, flags).u32(count(nodes));
        write(nodes, frame);
        if (frame.tooLong()) {
            return head(name, framework, "the class has more tests than one frame holds", flags).u32(0);
        }
        return frame;
    }

    private static Frame head(String name, String framework, String problem, int flags) {
        return new Frame('d').str(name).str(framework).str(problem).u8(flags);
    }

    private static int count(List<Node> nodes) {
        int count = 0;
        for (Node node : nodes) {
            count += node.isTest() ? 1 : 2 + count(node.children);
        }
        return count;
    }

    private static void write(List<Node> nodes, Frame frame) {
        for (Node node : nodes) {
            frame.u8(node.isTest() ? 't' : 'g').str(node.name).u8(node.flags & Node.PUBLIC);
            if (!node.isTest()) {
                write(node.children, frame);
                frame.u8('e').str("").u8(0);
            }
        }
    }
}
