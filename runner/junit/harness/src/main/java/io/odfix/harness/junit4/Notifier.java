package io.odfix.harness.junit4;

import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/**
 * Keeps odfix's listener the last one. Mockito's runner has a listener that fails a test when the
 * test is reported as finished. Surefire also counts such a test as failed.
 */
final class Notifier extends RunNotifier {
    private RunListener last;

    void watch(RunListener listener) {
        last = listener;
        super.addListener(listener);
    }

    void unwatch() {
        super.removeListener(last);
        last = null;
    }

    @Override
    public void addListener(RunListener listener) {
        super.addListener(listener);
        if (last != null) {
            super.removeListener(last);
            super.addListener(last);
        }
    }
}
