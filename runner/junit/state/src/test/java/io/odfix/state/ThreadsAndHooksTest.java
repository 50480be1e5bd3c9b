package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.After;
import org.junit.Test;

/** Threads that outlive their test. */
public class ThreadsAndHooksTest {
    private final CountDownLatch end = new CountDownLatch(1);

    /** A thread that runs until it is ended. */
    private Thread start(ThreadGroup in, String name) {
        Thread made = new Thread(in, () -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                return;
            }
        }, name);
        made.setDaemon(true);
        made.start();
        return made;
    }

    @After
    public void ends() {
        end.countDown();
    }

    /** The reports about the thread. */
    private static List<String> told(List<Change> changes, String name) {
        List<String> out = new ArrayList<String>();
        for (Change c : changes) {
            if (c.path.equals("thread " + name)) {
                out.add(c.toString());
            }
        }
        return out;
    }

    @Test(timeout = 120000)
    public void threadThatKeepsRunning() throws Exception {
        ThreadsAndHooks.Threads threads = new ThreadsAndHooks.Threads();
        threads.changes();
        Thread goesOn = start(null, "goes on");
        assertEquals("[thread goes on: absent → running]", told(threads.changes(), "goes on").toString());
        end.countDown();
        goesOn.join();
        List<Change> changes = threads.changes();
        assertTrue("the test that runs when it ends need not have ended it: " + changes, told(changes, "goes on").isEmpty());
        assertFalse(threads.look().containsKey("goes on"));
    }

    @Test
    public void carriersOfVirtualThreads() {
        ThreadsAndHooks.Threads threads = new ThreadsAndHooks.Threads();
        ThreadGroup carriers = new ThreadGroup("CarrierThreads");
        start(carriers, "ForkJoinPool-1-worker-1");
        start(carriers, "ForkJoinPool-1-delayScheduler");
        start(new ThreadGroup("the project's own"), "ForkJoinPool-2-worker-1");
        Map<String, Object> now = threads.look();
        assertFalse(now.keySet().toString(), now.containsKey("ForkJoinPool-1-worker-1") || now.containsKey("ForkJoinPool-1-delayScheduler"));
        assertTrue(now.keySet().toString(), now.containsKey("ForkJoinPool-2-worker-1"));
    }
}
