package io.odfix.harness.order;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An order with, for each position, the class to launch and the driver that launches it. */
public final class Plan {
    public final List<String> ids;
    private final List<Class<?>> launched = new ArrayList<Class<?>>();
    private final List<Class<?>> named = new ArrayList<Class<?>>();
    private final List<Driver> drivers = new ArrayList<Driver>();

    public Plan(List<String> ids) {
        this.ids = ids;
    }

    /**
     * Places the next position.
     *
     * @param c the class to launch
     * @param own the class in the id: c, or a class nested in it
     */
    public void place(Class<?> c, Class<?> own, Driver driver) {
        launched.add(c);
        named.add(own);
        drivers.add(driver);
    }

    /**
     * The class that was to be launched does not have the test. From this position on, the classes
     * in the ids are launched themselves.
     *
     * @return false if that was done before
     */
    public boolean relaunch(int from) {
        Class<?> wrong = launched.get(from);
        Class<?> own = named.get(from);
        for (int i = from; i < size(); i++) {
            if (launched.get(i) == wrong && named.get(i) == own) {
                launched.set(i, own);
            }
        }
        return wrong != own;
    }

    public int size() {
        return ids.size();
    }

    public Class<?> launched(int position) {
        return launched.get(position);
    }

    public Driver driver(int position) {
        return drivers.get(position);
    }

    /** The positions from {@code from} on that use the same driver. */
    public int stretch(int from) {
        int to = from;
        while (to < size() && drivers.get(to) == drivers.get(from)) {
            to++;
        }
        return to;
    }

    /**
     * The refusal for tests that their class does not have: the one at {@code from}, and later ones
     * of the order.
     *
     * @param held all tests that the class has
     */
    public Refused missing(int from, List<Node> held) {
        Set<String> there = new HashSet<String>();
        for (Node test : held) {
            there.add(test.name);
        }
        List<String> gone = new ArrayList<String>();
        for (int i = from; i < size(); i++) {
            boolean same = launched.get(i) == launched.get(from) && drivers.get(i) == drivers.get(from);
            if (same && there.add(ids.get(i))) {
                gone.add(ids.get(i));
            }
        }
        return new Refused(launched.get(from).getName() + " holds no such test", gone, true);
    }

    /**
     * Gives the tests of a class one outcome, if the class does not run and its tests are not
     * known. Returns the number of positions.
     */
    public int sameOutcome(int from, Recorder log, char outcome, Failure why) {
        List<Node> visit = byIds(from);
        VisitTracker tracker = new VisitTracker(visit, from, log);
        tracker.groupFailure(null, launched(from).getName(), outcome, why);
        tracker.end(null);
        return visit.size();
    }

    /** The positions that launch the same class, up to the first repeated test. */
    private List<Node> byIds(int from) {
        List<Node> visit = new ArrayList<Node>();
        Set<String> seen = new HashSet<String>();
        for (int i = from; i < size() && launched.get(i) == launched.get(from) && seen.add(ids.get(i)); i++) {
            visit.add(Node.test(ids.get(i), null, null));
        }
        return visit;
    }
}
