package io.odfix.harness;

import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.Refused;
import io.odfix.harness.order.Restorer;
import io.odfix.harness.order.TestThread;
import io.odfix.harness.wire.Command;
import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.util.Collections;
import java.util.List;

/**
 * Carries out commands one after the other. State stays as the tests of earlier orders left it.
 */
final class Session {
    private static final String OWN_ERROR = "the harness has an internal error: ";

    private final Events events;
    private List<Driver> drivers;
    private volatile Recorder running;
    private volatile boolean quitting;

    Session(Events events) {
        this.events = events;
    }

    void quitting() {
        quitting = true;
    }

    boolean isQuitting() {
        return quitting;
    }

    /** The first position of the running order that has no outcome yet, or -1. */
    long position() {
        Recorder now = running;
        return now == null || now.done() >= now.order.size() ? -1 : now.done();
    }

    void handle(Command command) {
        try {
            switch (command.type()) {
                case 'D':
                    discover(command.strs());
                    break;
                case 'R':
                    run(command);
                    break;
                default:
                    break; // from a later version of the protocol
            }
        } catch (Command.Malformed e) {
            refuse(-1, "a command that cannot be read: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            refuse(-1, e.getMessage()); // a setting is invalid
        } catch (Throwable t) {
            refuse(-1, OWN_ERROR + Failure.of(t).stack);
        }
    }

    private List<Driver> drivers() {
        if (drivers == null) {
            drivers = Frameworks.drivers();
        }
        return drivers;
    }

    private void discover(List<String> classes) {
        TestThread.reset();
        ClassDiscovery look = new ClassDiscovery(drivers(), classes);
        for (String name : classes) {
            events.send(look.at(name));
        }
        for (Driver driver : drivers()) {
            endQuietly(driver);
        }
        events.send(new Frame('.').i64(-1).i64(0));
    }

    private void run(Command command) throws Command.Malformed {
        long id = command.i64();
        Switch.mask = command.str();
        List<String> order = command.strs();
        boolean restores = command.more();
        List<String> places = restores ? command.strs() : Collections.<String>emptyList();
        long before = restores ? command.i64() : -1;
        Thread.interrupted(); // an interrupt left by the previous order must not reach a test of this one
        Placement placement = new Placement(drivers());
        Recorder log = new Recorder(events, id, order);
        running = log;
        try {
            Plan plan = placement.of(order);
            run(plan, log, restores ? new Restorer(events, places, before) : null);
        } catch (Refused e) {
            log.refuse(e);
        } catch (Throwable t) {
            log.refuse(OWN_ERROR + Failure.of(t).stack, Collections.<String>emptyList());
        } finally {
            running = null;
        }
        log.complete();
    }

    /** @param restorer null if no state is restored */
    private void run(Plan plan, Recorder log, Restorer restorer) throws Refused {
        TestThread.reset();
        try {
            for (Driver driver : drivers()) {
                driver.begin(plan);
            }
            log.beginsHere();
            log.restoreWith(restorer);
            for (int at = 0; at < plan.size() && !log.refused(); ) {
                if (restorer != null) {
                    restorer.begins(at);
                }
                at += plan.driver(at).run(plan, at, log);
            }
        } finally {
            for (Driver driver : drivers()) {
                endQuietly(driver);
            }
        }
    }

    /** The last events of a project's listener change no test's outcome. */
    private static void endQuietly(Driver driver) {
        try {
            driver.end();
        } catch (Throwable t) {
            System.err.println("odfix harness: a listener of the project failed at the end: " + t);
        }
    }

    private void refuse(long id, String reason) {
        events.send(new Frame('e').i64(id).str(reason).strs(Collections.<String>emptyList()).u8(0));
    }
}
