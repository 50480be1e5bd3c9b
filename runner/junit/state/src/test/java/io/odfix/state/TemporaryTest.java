package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Path;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Temporary files of an order. */
public class TemporaryTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final String before = System.getProperty("java.io.tmpdir");
    private Temporary temporary;
    private File own;

    @Before
    public void made() throws Exception {
        temporary = Temporary.in(folder.getRoot().getCanonicalPath());
        own = new File(System.getProperty("java.io.tmpdir"));
        assertTrue(new File(own, "kept/deep").mkdirs());
        temporary.remember();
    }

    @After
    public void restored() {
        System.setProperty("java.io.tmpdir", before);
    }

    /** Also below folders that were there. */
    @Test
    public void whatCameIsTakenAway() throws Exception {
        assertTrue(new File(own, "made/deep").mkdirs() && new File(own, "made/deep/file").createNewFile() && new File(own, "kept/deep/file").createNewFile());
        assertEquals(6, temporary.names().size());
        temporary.clear();
        assertFalse(new File(own, "made").exists() || new File(own, "kept/deep/file").exists());
        assertTrue(new File(own, "kept/deep").isDirectory());
    }

    @Test
    public void codeThatIsLoadedFromOne() throws Exception {
        Path maps = folder.newFile().toPath();
        String head = "7f00-7f01 r--p 00000000 fe:01 17                         ";
        java.nio.file.Files.write(maps, (head + own + "/data.bin\n" + head.replace("r--p", "r-xp") + "/usr/lib/libc.so\n7f02-7f03 rw-p 00000000 00:00 0 \n").getBytes("US-ASCII"));
        assertNull("only read, or another's", temporary.loaded(maps));
        java.nio.file.Files.write(maps, (head.replace("r--p", "r-xp") + own + "/a/lib.so (deleted)\n").getBytes("US-ASCII"));
        assertEquals("a/lib.so (deleted)", temporary.loaded(maps));
        assertNull("no such file, as on other systems", temporary.loaded(maps.resolveSibling("none")));
    }
}
