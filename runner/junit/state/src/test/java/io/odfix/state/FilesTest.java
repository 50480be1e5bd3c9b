package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Reported writes of tests. */
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
        Files files = new Files(here, temporary, 100);
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
        assertEquals("a folder", ((NamedObject) last.get("in" + File.separator + "deep")).name);
        assertEquals("0 bytes", ((NamedObject) last.get("${java.io.tmpdir}/mine")).name);
    }

    /**
     * Requested folders are compared completely at every comparison. Files that were there before
     * are not a change.
     */
    @Test
    public void furtherFolders() throws Exception {
        Path addRoot = folder.newFolder("further").toPath();
        Path deep = java.nio.file.Files.createDirectories(addRoot.resolve("in/deep"));
        write(deep.resolve("old"), "1");
        Timed files = timed(folder.newFolder("here").toPath(), 100);
        files.addRoot(addRoot);
        files.changes();
        write(deep.resolve("new"), "1");
        files.asked();
        assertEquals("[file " + deep.resolve("new") + ": absent → 1 bytes]", told(files.changes()));
        java.nio.file.Files.delete(deep.resolve("old"));
        files.passes(10 * Files.SHARE);
        assertEquals("nobody asked, and enough time has passed", "[file " + deep.resolve("old") + ": 1 bytes → absent]", told(files.changes()));
    }

    private static String told(java.util.List<Change> changes) {
        java.util.List<String> out = new java.util.ArrayList<String>();
        for (Change c : changes) {
            out.add(c.toString());
        }
        return out.toString();
    }

    /** A clock that advances by five ticks at each call, and only then. */
    private static class Timed extends Files {
        private long clock;
        private boolean noteUnseenWriter;

        Timed(Path here, Path temporary, int most) {
            super(here, temporary, most);
        }

        @Override
        long now() {
            return clock += 5;
        }

        void passes(long ticks) {
            clock += ticks;
        }

        @Override
        void noteUnseenWriter() {
            noteUnseenWriter = true;
        }
    }

    private Timed timed(Path here, int most) throws Exception {
        return new Timed(here, folder.newFolder("temporary").toPath(), most);
    }

    @Test
    public void sourcesAndClassesAreComparedRarely() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Path classes = here.resolve("target").resolve("test-classes");
        java.nio.file.Files.createDirectories(classes);
        java.nio.file.Files.createDirectories(here.resolve("src"));
        write(classes.resolve("a.txt"), "1");
        Timed files = timed(here, 100);
        assertTrue(look(files).containsKey("target" + File.separator + "test-classes" + File.separator + "a.txt"));
        write(here.resolve("src").resolve("b"), "1");
        String late = "src" + File.separator + "b";
        assertFalse("it is not their turn", look(files).containsKey(late));
        assertFalse(files.noteUnseenWriter);
        files.passes(10 * Files.SHARE);
        assertTrue(look(files).containsKey(late));
        assertTrue("an earlier test may have written it", files.noteUnseenWriter);
    }

    @Test
    public void writesOfObservedCodeAreCertain() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Timed files = timed(here, 100);
        look(files);
        files.passes(10 * Files.SHARE);
        write(here.resolve("a"), "1");
        assertTrue(look(files).containsKey("a"));
        assertFalse("asked, and due as well", files.noteUnseenWriter);
        files.passes(10 * Files.SHARE);
        write(here.resolve("b"), "1");
        assertTrue("due", files.look().containsKey("b"));
        assertTrue(files.noteUnseenWriter);
    }

    @Test
    public void tooManyFiles() throws Exception {
        Path here = folder.newFolder("here").toPath();
        write(here.resolve("a"), "1");
        Timed files = timed(here, 2);
        Map<String, Object> first = look(files);
        assertEquals("[a]", first.keySet().toString());
        write(here.resolve("b"), "1");
        write(here.resolve("c"), "1");
        assertSame(first, look(files));
        java.nio.file.Files.delete(here.resolve("a"));
        assertSame("nor when there are fewer again", first, look(files));
    }

    @Test
    public void unreadableFiles() throws Exception {
        Path here = folder.newFolder("here").toPath();
        write(here.resolve("a"), "1");
        Files files = new Files(here, folder.newFolder("temporary").toPath(), 100) {
            @Override
            byte[] bytes(Path at) throws IOException {
                throw new IOException("not to be read");
            }
        };
        Map<String, Object> first = look(files);
        assertEquals("[a]", first.keySet().toString());
        write(here.resolve("a"), "12");
        Map<String, Object> second = look(files);
        assertEquals("[a]", second.keySet().toString());
        assertFalse("by size and time", first.equals(second));
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
