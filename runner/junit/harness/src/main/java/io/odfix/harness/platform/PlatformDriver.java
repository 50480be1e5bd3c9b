package io.odfix.harness.platform;

import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.Refused;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/**
 * Runs classes of the JUnit Platform. One execution of the launcher runs several visits, each of
 * another class.
 */
public final class PlatformDriver implements Driver {
    private final Tags tags = new Tags();
    /** The tests that discovery found, by launched class, until they are requested. */
    private final Map<String, Node> known = new HashMap<String, Node>();
    private Engines engines;
    private Launch launch;

    @Override
    public String framework() {
        return "platform";
    }

    /** Any class may be a test of some engine. Only discovery shows it. */
    @Override
    public boolean claims(Class<?> c) {
        return true;
    }

    /**
     * Inner classes are tests of the class around them. Static ones are launched by themselves.
     */
    @Override
    public Class<?> launched(Class<?> c) {
        Class<?> launched = c;
        while (launched.getDeclaringClass() != null && !Modifier.isStatic(launched.getModifiers())) {
            launched = launched.getDeclaringClass();
        }
        return launched;
    }

    /**
     * Each request to the launcher takes milliseconds. So one request for all classes is tried
     * first.
     */
    @Override
    public void expect(List<Class<?>> classes) {
        known.clear();
        try {
            if (open()) {
                discover(new LinkedHashSet<Class<?>>(classes));
            }
        } catch (Throwable t) {
            known.clear(); // one of the classes breaks discovery, and look() finds out which
        }
    }

    @Override
    public Node look(Class<?> c) throws Refused {
        if (!open()) {
            return group(c.getName());
        }
        Node found = known.remove(c.getName());
        if (found != null) {
            return found;
        }
        try {
            discover(Collections.<Class<?>>singleton(c));
        } catch (Throwable t) {
            throw new Refused(String.valueOf(Failure.rootCause(t)), c.getName());
        }
        return known.remove(c.getName());
    }

    private void discover(Set<Class<?>> classes) {
        for (Class<?> c : classes) {
            known.put(c.getName(), group(c.getName()));
            known.get(c.getName()).flags |= Declared.fixesOrder(c) ? Node.FIXED : 0;
        }
        engines.expect(new Engines.Visitor() {
            @Override
            public void found(List<TestDescriptor> roots) {
                for (TestDescriptor root : roots) {
                    keep(DescriptorTree.engine(root));
                }
            }
        });
        launch.launcher.discover(request(classes));
    }

    private void keep(Node engine) {
        for (Node launched : engine.children) {
            Node all = known.get(launched.name);
            tags.mark(launched);
            if (all != null) {
                all.flags |= launched.flags & Node.TESTS_FIRST;
            }
            for (Node child : launched.children) {
                if (all != null) {
                    all.add(child);
                }
            }
        }
    }

    private static Node group(String name) {
        return Node.group(name, null, null, null);
    }

    @Override
    public int run(Plan plan, int from, Recorder log) throws Refused {
        if (!open()) {
            throw new Refused("no engine of the JUnit Platform is on the class path", plan.ids.get(from));
        }
        Execution execution = new Execution(plan, from, log);
        engines.expect(execution);
        Throwable thrown = null;
        try {
            launch.launcher.execute(request(classes(plan, from)), execution);
        } catch (Throwable t) {
            thrown = t;
        }
        return execution.end(thrown);
    }

    /** The classes of the next execution, each once. */
    private static Set<Class<?>> classes(Plan plan, int from) {
        Set<Class<?>> classes = new LinkedHashSet<Class<?>>();
        int end = plan.stretch(from);
        for (int i = from; i < end; i++) {
            Class<?> c = plan.launched(i);
            if (c != plan.launched(Math.max(from, i - 1)) && classes.contains(c)) {
                break;
            }
            classes.add(c);
        }
        return classes;
    }

    /**
     * Turns off parallel execution, which has no order. Other settings of the project are kept.
     */
    private static LauncherDiscoveryRequest request(Set<Class<?>> classes) {
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "false");
        List<org.junit.platform.engine.DiscoverySelector> selectors =
                new ArrayList<org.junit.platform.engine.DiscoverySelector>();
        for (Class<?> c : classes) {
            selectors.add(DiscoverySelectors.selectClass(c));
        }
        return request.selectors(selectors).build();
    }

    private boolean open() {
        if (engines == null) {
            engines = new Engines();
        }
        if (launch == null && !engines.isEmpty()) {
            launch = new Launch(engines);
        }
        return launch != null;
    }

    @Override
    public void end() {
        if (launch != null) {
            Launch over = launch;
            launch = null;
            over.close();
        }
    }
}
