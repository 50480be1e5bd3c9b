package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.InitializationError;

/**
 * A runner that is neither Filterable nor Sortable, and hides the one that works two objects deep.
 */
@RunWith(Wrapped.Wrapper.class)
public class Wrapped {
    @Test
    public void a() {
        Tape.say("a");
    }

    @Test
    public void b() {
        Tape.say("b");
    }

    @Test
    public void c() {
        Tape.say("c");
    }

    public static class Wrapper extends Runner {
        private final Holder holder;

        public Wrapper(Class<?> c) throws InitializationError {
            holder = new Holder(new BlockJUnit4ClassRunner(c));
        }

        @Override
        public Description getDescription() {
            return holder.runner.getDescription();
        }

        @Override
        public void run(RunNotifier notifier) {
            holder.runner.run(notifier);
        }
    }

    private static class Holder {
        private final BlockJUnit4ClassRunner runner;

        Holder(BlockJUnit4ClassRunner runner) {
            this.runner = runner;
        }
    }

    /** A runner that has an order of its own, whatever anybody asks. */
    @RunWith(Stubborn.Always.class)
    public static class Stubborn {
        public static class Always extends Runner {
            private final Class<?> c;

            public Always(Class<?> c) {
                this.c = c;
            }

            @Override
            public Description getDescription() {
                Description all = Description.createSuiteDescription(c);
                all.addChild(Description.createTestDescription(c, "x"));
                all.addChild(Description.createTestDescription(c, "y"));
                return all;
            }

            @Override
            public void run(RunNotifier notifier) {
                String[] order = {"y", "x"}; // not even the one it announced
                for (String each : order) {
                    Description test = Description.createTestDescription(c, each);
                    notifier.fireTestStarted(test);
                    notifier.fireTestFinished(test);
                }
            }
        }
    }
}
