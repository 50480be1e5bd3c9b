package io.odfix.harness.order;

import java.util.List;

/** One test framework. Its classes are loaded only where the project has that framework. */
public interface Driver {
    /** {@code junit3}, {@code junit4} or {@code platform}. */
    String framework();

    /**
     * True if the project's build would hand the class to this framework. Initialises nothing.
     */
    boolean claims(Class<?> c);

    /**
     * The class that a build launches for tests of {@code c}: {@code c}, or a class around it.
     */
    default Class<?> launched(Class<?> c) {
        return c;
    }

    /** These classes will be discovered one by one. */
    default void expect(List<Class<?>> classes) {}

    /**
     * The tests of a class that the build would launch. It has no children if there are none. Its
     * flags have {@link Node#FIXED} if the project fixes the order of the methods.
     *
     * @throws Refused if the class is a test class that cannot run, with the reason
     */
    Node look(Class<?> c) throws Refused;

    /** An order is about to run. */
    default void begin(Plan plan) {}

    /**
     * Runs the plan from a position on, as far as one visit (or one launcher execution) reaches.
     *
     * @return the number of positions run, at least 1
     */
    int run(Plan plan, int from, Recorder log) throws Refused;

    /** The order ended. */
    default void end() {}
}
