package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What tests write, as it is told of. */
public class FilesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static void write(Path to, String text) throws Exception {
        java.nio.file.Files.write(to, text.getBytes("UTF-8"));
    }

    private static Map<String, Object> look(Files files) throws Exception {
        files.asked();
        return files.look();
    }

    @Test
    public void byContent() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Path temporary = folder.newFolder("temporary").toPath();
        write(here.resolve("a"), "1");
        write(temporary.resolve("others"), "1");
        Files files = new Files(here, temporary);
        Map<String, Object> first = look(files);
        assertEquals("[a]", first.keySet().toString());

        write(here.resolve("a"), "1");
        java.nio.file.Files.setLastModifiedTime(here.resolve("a"), java.nio.file.attribute.FileTime.fromMillis(1));
        assertSame("written again with what it held", first, look(files));

        write(here.resolve("a"), "2");
        java.nio.file.Files.setLastModifiedTime(here.resolve("a"), java.nio.file.attribute.FileTime.fromMillis(2));
        assertFalse(first.equals(look(files)));

        new File(here.toFile(), "in/deep").mkdirs();
        write(temporary.resolve("mine"), "");
        java.nio.file.Files.delete(here.resolve("a"));
        Map<String, Object> last = look(files);
        assertEquals(3, last.size());
        assertEquals("a folder", ((Named) last.get("in" + File.separator + "deep")).name);
        assertEquals("0 bytes", ((Named) last.get("${java.io.tmpdir}/mine")).name);
    }

    @Test
    public void sourcesAndClassesTakeTurns() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Path classes = here.resolve("target").resolve("test-classes");
        java.nio.file.Files.createDirectories(classes);
        java.nio.file.Files.createDirectories(here.resolve("src"));
        write(classes.resolve("a.txt"), "1");
        Files files = new Files(here, folder.newFolder("temporary").toPath());
        assertTrue(look(files).containsKey("target" + File.separator + "test-classes" + File.separator + "a.txt"));
        write(here.resolve("src").resolve("b"), "1");
        String late = "src" + File.separator + "b";
        long end = System.nanoTime() + 60L * 1000 * 1000 * 1000;
        while (!look(files).containsKey(late) && System.nanoTime() < end) {
            Thread.yield(); // a look at all is due after a hundred times what it takes
        }
        assertTrue(look(files).containsKey(late));
    }

    @Test
    public void callsThatWrite() {
        assertTrue(Files.writes("java/io/File", "createTempFile", "()V"));
        assertTrue(Files.writes("java/io/PrintWriter", "<init>", "(Ljava/io/File;)V"));
        assertFalse(Files.writes("java/io/PrintWriter", "<init>", "(Ljava/io/Writer;)V"));
        assertFalse(Files.writes("java/io/File", "exists", "()Z"));
        assertFalse(Files.writes("java/nio/file/Files", "readAllBytes", "()V"));
    }
}
