package io.odfix.samples.junit4;

import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.InitializationError;

/** As Mockito's runner: a listener of its own fails a test when it hears that the test is over. */
@RunWith(Late.Strict.class)
public class Late {
    @Test
    public void careful() {}

    @Test
    public void careless() {}

    public static class Strict extends BlockJUnit4ClassRunner {
        public Strict(Class<?> c) throws InitializationError {
            super(c);
        }

        @Override
        public void run(final RunNotifier notifier) {
            notifier.addListener(new RunListener() {
                @Override
                public void testFinished(Description test) {
                    if (test.getDisplayName().startsWith("careless")) {
                        notifier.fireTestFailure(new Failure(test, new IllegalStateException("left unfinished")));
                    }
                }
            });
            super.run(notifier);
        }
    }
}
