package state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.ref.WeakReference;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.Permission;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.Test;

/** What a process that lives on can put back, and what it cannot. */
public class LivingTest {
    static final Map<String, List<String>> MAP = new ConcurrentHashMap<>();
    static final Map<Object, String> WEAK = new WeakHashMap<>();
    static final ThreadLocal<int[]> LOCAL = new ThreadLocal<>();
    static final Object KEY = new Object();
    static final WeakReference<Object> REFERENCE = new WeakReference<>(KEY);
    static final int[] NUMBERS = new int[100];
    static String text = "text";
    static List<String> list = new ArrayList<>(Arrays.asList("one"));
    static Object held;

    static {
        MAP.put("key", new ArrayList<>(Arrays.asList("a")));
        WEAK.put(KEY, "weak");
    }

    enum Mode {
        ON;
        boolean flag;
    }

    /** Nobody can tell when it was initialised. */
    static class Late {
        static final List<String> ALL = new ArrayList<>(Arrays.asList("late"));
        static int count = ALL.size();
        static final String LANGUAGE = System.getProperty("state.language", "none");
    }

    /** Without an initialiser. */
    static class Plain {
        static Object held;
        static int number;
    }

    /** Makes itself known to another class. */
    static class Registers {
        static {
            MAP.put("registered", new ArrayList<>());
        }

        static void touch() {}
    }

    /** Counts itself. */
    static class Counts {
        static {
            NUMBERS[0]++;
        }

        static void touch() {}
    }

    /** Takes what it finds. */
    static class Takes {
        static final String TEXT = text + MAP.get("key");

        static void touch() {}
    }

    static class Fails {
        static int value = Integer.parseInt("none");
    }

    /** Leads to 500 MB. */
    static class Much {
        static final byte[][] ALL = new byte[8][64 << 20];
    }

    /** Made a temporary file when it was initialised, and knows its name. */
    static class Keeps {
        static final File FILE = temporary();
    }

    /** The JDK keeps a list of these that is not remembered. */
    static class Holder extends Provider {
        final Object held;

        Holder(Object held) {
            super("holder", 1, "keeps what it is given");
            this.held = held;
        }
    }

    /** Its initialiser makes a file in a folder that a test made. */
    static class KeepsBelow {
        static File file = new File(System.getProperty("java.io.tmpdir"), "cache/file");

        static {
            try {
                file.createNewFile();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    static File temporary() {
        try {
            return File.createTempFile("living", ".txt");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static List<Thread> threads(CountDownLatch go) {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Thread t = new Thread(() -> {
                try {
                    go.await();
                    synchronized (MAP) {
                        MAP.put(Thread.currentThread().getName(), new ArrayList<>());
                    }
                } catch (InterruptedException e) {
                    return;
                }
            });
            t.setDaemon(true);
            t.start();
            all.add(t);
        }
        return all;
    }

    /** Its fields cannot be listed where LivingGone is missing. */
    static class Lacks {
        static LivingGone gone;
        static int value = Integer.parseInt("1");
    }

    @Test
    public void spoils() {
        MAP.get("key").add("b");
        MAP.put("more", new ArrayList<>());
        for (int i = 0; i < 200; i++) {
            MAP.put("k" + i, new ArrayList<>());
        }
        WEAK.clear();
        LOCAL.set(new int[] {1});
        NUMBERS[99] = 1;
        text = "changed";
        list.clear();
        list = null;
        held = new Thread("never started");
        Mode.ON.flag = true;
        Locale.setDefault(Locale.JAPAN);
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Tokyo"));
        System.setProperty("state.living", "spoilt");
        System.setIn(new ByteArrayInputStream(new byte[0]));
        Thread.currentThread().setName("spoilt");
    }

    @Test
    public void finds() {
        assertEquals("{key=[a]}", MAP.toString());
        assertEquals("weak", WEAK.get(KEY));
        assertNull(LOCAL.get());
        assertEquals(0, NUMBERS[99]);
        assertEquals("text", text);
        assertEquals("[one]", list.toString());
        assertNull(held);
        assertEquals(false, Mode.ON.flag);
        assertEquals(false, Locale.getDefault().equals(Locale.JAPAN));
        assertEquals(false, TimeZone.getDefault().getID().equals("Asia/Tokyo"));
        assertNull(System.getProperty("state.living"));
        assertEquals(false, System.in instanceof ByteArrayInputStream);
        assertEquals("main", Thread.currentThread().getName());
    }

    @Test
    public void late() {
        assertEquals("[late]", Late.ALL.toString());
        assertEquals(1, Late.count++);
        Late.ALL.add("more");
        assertNull(Plain.held);
        assertEquals(0, Plain.number++);
        Plain.held = this;
    }

    @Test
    public void leavesThread() throws InterruptedException {
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(600_000);
            } catch (InterruptedException e) {
                return;
            }
        }, "left");
        t.setDaemon(true);
        t.start();
    }

    @Test
    public void endsThread() throws InterruptedException {
        Thread t = new Thread(() -> MAP.clear());
        t.start();
        t.join();
    }

    @Test
    public void leavesHook() {
        Runtime.getRuntime().addShutdownHook(new Thread());
    }

    @Test
    public void writesFile() throws Exception {
        try (FileWriter out = new FileWriter(new File(System.getProperty("user.dir"), "written"))) {
            out.write("x");
        }
    }

    @Test
    public void leavesFileToWrite() throws Exception {
        held = new RandomAccessFile(new File("StateTest.here"), "rw");
    }

    @Test
    public void leavesFileLocked() throws Exception {
        FileInputStream in = new FileInputStream(new File("StateTest.here"));
        held = in.getChannel().lock(0, 1, true);
    }

    @Test
    public void leavesPort() throws Exception {
        held = new ServerSocket(0);
    }

    @Test
    public void hidesPort() throws Exception {
        Security.addProvider(new Holder(new ServerSocket(0)));
    }

    @Test
    public void hidesFile() throws Exception {
        Security.addProvider(new Holder(new RandomAccessFile(new File("StateTest.here"), "rw")));
    }

    @Test
    public void leavesTemporary() throws Exception {
        File folder = new File(temporary().getPath() + ".d");
        assertEquals(true, folder.mkdir() && new File(folder, "in").createNewFile());
        assertEquals(2, folder.getParentFile().list().length);
    }

    @Test
    public void keepsTemporary() {
        assertEquals(true, Keeps.FILE.exists());
    }

    @Test
    public void keepsTemporaryBelow() {
        assertEquals(true, new File(System.getProperty("java.io.tmpdir"), "cache").mkdir());
        assertEquals(true, KeepsBelow.file.exists());
    }

    @Test
    public void endsThreads() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> all = threads(go);
        assertEquals("Thread-0", all.get(0).getName());
        go.countDown();
        for (Thread t : all) {
            t.join();
        }
        assertEquals(201, MAP.size());
    }

    @Test
    public void leavesThreads() {
        held = threads(new CountDownLatch(1));
    }

    @Test
    public void holdsMuch() {
        held = new byte[8][64 << 20];
    }

    @Test
    public void initialisesMuch() {
        assertEquals(8, Much.ALL.length);
    }

    @Test
    @SuppressWarnings("removal")
    public void setsManager() {
        System.setSecurityManager(new SecurityManager() {
            @Override
            public void checkPermission(Permission any) {}
        });
    }

    @Test
    public void leavesFile() throws Exception {
        InputStream in = new FileInputStream(new File("StateTest.here"));
        held = in;
    }

    @Test
    public void clearsReference() {
        assertSame(KEY, REFERENCE.get());
        REFERENCE.clear();
    }

    @Test
    public void registers() {
        Registers.touch();
    }

    @Test
    public void readsRegistry() {
        assertNotNull(MAP.get("key"));
    }

    @Test
    public void counts() {
        Counts.touch();
    }

    @Test
    public void takes() {
        text = "taken";
        Takes.touch();
    }

    @Test
    public void takesProperty() {
        System.setProperty("state.language", "odd");
        Late.count++;
    }

    @Test
    public void takesUnchanged() {
        System.setProperty("state.other", "odd");
        Takes.touch();
    }

    @Test
    public void fails() {
        try {
            Fails.value++;
        } catch (ExceptionInInitializerError e) {
            return;
        }
    }

    @Test
    public void lacksType() {
        assertEquals(1, Lacks.value);
    }

    @Test
    public void loads() throws Exception {
        URL here = LivingTest.class.getProtectionDomain().getCodeSource().getLocation();
        Class.forName("state.LivingTest$Plain", true, new URLClassLoader(new URL[] {here}, null));
    }

    @Test
    public void leavesChild() throws Exception {
        held = new ProcessBuilder("sleep", "60").start();
    }

    @Test
    public void setsItsProperty() throws Exception {
        System.setProperty("java.odd", "odd");
        Class.forName("java.util.zip.Adler32");
    }

    @Test
    public void exits() {
        System.exit(3);
    }
}

/** Part of an optional library, and missing. */
class LivingGone {}
