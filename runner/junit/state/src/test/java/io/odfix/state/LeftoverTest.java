package io.odfix.state;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.io.RandomAccessFile;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What of the operating system's is open. */
public class LeftoverTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** Only what was opened can be waited for: what was closed nobody opens again. */
    @Test
    public void whatMayClose() throws Exception {
        assumeTrue("the system tells of it on Linux only", new File("/proc/self/fd").exists());
        ReflectedMemory.install();
        File before = new File(folder.getRoot(), "before");
        File since = new File(folder.getRoot(), "since");
        RandomAccessFile first = new RandomAccessFile(before, "rw");
        RandomAccessFile more = null;
        try {
            Leftover leftover = new Leftover();
            assertFalse(leftover.mayClose());
            more = new RandomAccessFile(since, "rw");
            assertTrue(leftover.mayClose());
            assertTrue(leftover.open().contains("left open: " + since.getCanonicalPath()));
            more.close();
            first.close();
            assertTrue(leftover.open().contains("closed: " + before.getCanonicalPath()));
            assertFalse(leftover.mayClose());
        } finally {
            first.close();
            if (more != null) {
                more.close();
            }
        }
    }
}
