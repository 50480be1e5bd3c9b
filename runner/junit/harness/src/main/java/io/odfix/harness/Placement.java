package io.odfix.harness;

import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Ids;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Refused;
import io.odfix.harness.platform.Declared;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds, for each test of an order, the class to launch and its driver, without initialising any
 * class. If no runner is needed for that, a missing test is known before the first test runs.
 */
final class Placement {
    private final List<Driver> drivers;
    private final Map<String, Class<?>> classes = new HashMap<String, Class<?>>();

    Placement(List<Driver> drivers) {
        this.drivers = drivers;
    }

    Plan of(List<String> order) throws Refused {
        Plan plan = new Plan(order);
        List<Refused> missing = new ArrayList<Refused>();
        List<Refused> unfit = new ArrayList<Refused>();
        for (String id : order) {
            try {
                place(id, plan);
            } catch (Refused e) {
                (e.missing ? missing : unfit).add(e);
            }
        }
        List<Refused> lost = missing.isEmpty() ? unfit : missing;
        if (!lost.isEmpty()) {
            List<String> ids = new ArrayList<String>();
            for (Refused e : lost) {
                ids.addAll(e.ids);
            }
            throw new Refused(lost.get(0).getMessage(), ids, lost == missing);
        }
        return plan;
    }

    private void place(String id, Plan plan) throws Refused {
        Class<?> c = load(id);
        if (Members.lacks(c, id)) {
            throw Refused.missing(c.getName() + " has no test " + Ids.method(id), id);
        }
        for (Driver driver : drivers) {
            Class<?> launched = Ids.throughSuite(id) ? c : driver.launched(c);
            if (driver.claims(launched) && !isPlatforms(driver, launched, c, id)) {
                plan.place(launched, c, driver);
                return;
            }
        }
        throw Refused.missing(c.getName() + " is no test class of a framework that this project runs", id);
    }

    /**
     * In a class that mixes JUnit 4 and the Platform, each method belongs to its own framework.
     */
    private static boolean isPlatforms(Driver driver, Class<?> launched, Class<?> c, String id) {
        if (!driver.framework().equals("junit4") || Ids.throughSuite(id) || !Frameworks.platformIsUsed()) {
            return false;
        }
        return Declared.hasTest(c, Members.methodName(id));
    }

    private Class<?> load(String id) throws Refused {
        String name = Ids.outer(id);
        Class<?> known = classes.get(name);
        if (known != null) {
            return known;
        }
        try {
            Class<?> c = Class.forName(name, false, ClassLoader.getSystemClassLoader());
            classes.put(name, c);
            return c;
        } catch (ClassNotFoundException e) {
            throw Refused.missing("the class " + name + " is not on the class path", id);
        } catch (LinkageError e) {
            throw new Refused("the class " + name + " cannot be loaded: " + e, id);
        }
    }
}
