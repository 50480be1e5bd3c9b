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
     * What there was at first may be listed by who started the process: nothing is looked at until
     * somebody asks.
     */
    @Test
    public void listedBeforehand() throws Exception {
        Path here = folder.newFolder("here").toPath();
        java.nio.file.Files.createDirectories(here.resolve("src"));
        StringBuilder list = new StringBuilder("3\000" + "0\td\t0\t5\t\tsrc\0");
        for (String name : new String[] {"a", "gone", "same", "src/b"}) {
            write(here.resolve(name), "1");
            java.nio.file.Files.setLastModifiedTime(here.resolve(name), java.nio.file.attribute.FileTime.fromMillis(7));
            String sum = name.equals("src/b") ? "" : "2212294583"; // of "1"
            list.append(name.equals("src/b") ? "\0" : "").append("0\tf\t1\t7000123\t").append(sum).append('\t').append(name).append('\0'); // this JDK, or file system, knows the time less exactly
        }
        Path listed = folder.newFile("list").toPath();
        write(listed, list.toString());
        Timed files = timed(here, 100);
        files.begin(new FileList(listed));
        assertEquals("[]", told(files.changes()));

        write(here.resolve("a"), "2");
        write(here.resolve("new"), "2");
        java.nio.file.Files.delete(here.resolve("gone"));
        assertEquals("nobody asked", "[]", told(files.changes()));
        files.asked();
        assertEquals("[file a: 1 bytes → another 1 bytes, file gone: 1 bytes → absent, file new: absent → 1 bytes]", told(files.changes()));
        files.asked();
        assertEquals("[]", told(files.changes()));
        java.nio.file.Files.delete(here.resolve("src").resolve("b"));
        files.passes(100L * 1000 * 1000 * Files.SHARE);
        assertEquals("[file src" + File.separator + "b: 1 bytes → absent]", told(files.changes()));
    }

    private FileList listOf(Path here, String... names) throws Exception {
        StringBuilder list = new StringBuilder("0\000");
        for (String name : names) {
            write(here.resolve(name), "1");
            java.nio.file.Files.setLastModifiedTime(here.resolve(name), java.nio.file.attribute.FileTime.fromMillis(7));
            list.append("0\tf\t1\t7000000\t2212294583\t").append(name).append('\0');
        }
        Path listed = folder.newFile().toPath();
        write(listed, list.toString());
        return new FileList(listed);
    }

    /**
     * The JVM itself, and what starts with it, writes files before the first segment, and behind
     * the list: they are no test's.
     */
    @Test
    public void writtenBehindTheList() throws Exception {
        for (boolean early : new boolean[] {true, false}) {
            Path here = folder.newFolder().toPath();
            Timed files = new Timed(here, folder.newFolder().toPath(), 100);
            if (early) {
                files.isAhead();
            }
            files.begin(listOf(here, "a", "same", "same too"));
            files.changes();
            write(here.resolve("a"), "2");
            write(java.nio.file.Files.createDirectory(here.resolve("in")).resolve("new"), "2");
            files.asked();
            String in = "in" + File.separator + "new";
            assertEquals(early ? "[]" : "[file a: 1 bytes → another 1 bytes, file in: absent → a folder, file " + in + ": absent → 1 bytes]", told(files.changes()));
            write(here.resolve("a"), "34");
            files.asked();
            assertEquals("[file a: 1 bytes → 2 bytes]", told(files.changes()));
        }
    }

    /**
     * Observed code may have written before the first segment, as a listener of the tests'
     * framework does.
     */
    @Test
    public void askedBeforeTheFirst() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Timed files = timed(here, 100);
        files.begin(listOf(here, "a", "gone", "same"));
        write(here.resolve("a"), "2");
        write(here.resolve("new"), "2");
        java.nio.file.Files.delete(here.resolve("gone"));
        files.asked();
        files.changes();
        files.asked();
        assertEquals("[]", told(files.changes()));
        write(here.resolve("new"), "34");
        files.asked();
        assertEquals("[file new: 1 bytes → 2 bytes]", told(files.changes()));
    }

    @Test
    public void badListTellsNothing() throws Exception {
        Path here = folder.newFolder("here").toPath();
        Path listed = folder.newFile("list").toPath();
        write(listed, "0\0of another shape, and long enough to be taken for the record of a file at least\0");
        Timed files = timed(here, 100);
        files.begin(new FileList(listed));
        files.changes();
        write(here.resolve("new"), "2");
        files.asked();
        assertEquals("what was there before is not known", "[]", told(files.changes()));
    }

    /**
     * Folders that are asked for are looked at as a whole, and on every look; what was there is no
     * change.
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

    /** Its clock goes on by five ticks whenever it is asked, and by nothing else. */
    private static class Timed extends Files {
        private long clock;
        private long ahead;
        private boolean noteUnseenWriter;

        Timed(Path here, Path temporary, int most) {
            super(here, temporary, most);
        }

        @Override
        long now() {
            return clock += 5;
        }

        /** What was written by now shall have been so before the first segment. */
        void isAhead() {
            ahead = 60000;
        }

        @Override
        long clock() {
            return super.clock() + ahead;
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
    public void sourcesAndClassesTakeTurns() throws Exception {
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
    public void whatObservedCodeWroteIsNoSurprise() throws Exception {
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
    public void whatCannotBeRead() throws Exception {
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
