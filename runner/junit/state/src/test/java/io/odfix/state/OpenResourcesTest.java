package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Ports and child processes that outlive their test. */
public class OpenResourcesTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static List<String> look(OpenResources of) {
        of.asked();
        List<String> out = new ArrayList<String>();
        for (Change c : of.changes()) {
            out.add(c.toString());
        }
        return out;
    }

    @Test
    public void listeningPort() throws Exception {
        assumeTrue("the kernel tells of ports on Linux only", new File("/proc/self/net/tcp").exists());
        OpenResources ports = new OpenResources.Ports();
        ports.awaits();
        try (ServerSocket here = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertTrue("nothing was called that opens one", ports.changes().isEmpty());
            assertEquals("[port " + here.getLocalPort() + ": absent → listening]", look(ports).toString());
        }
        assertTrue("its end is told of nobody", look(ports).isEmpty());
        assertEquals("{}", ports.look().toString());
    }

    /**
     * Resources opened since are unknown then. They are reported for no test, and users get the
     * reason.
     */
    @Test
    public void firstComparisonFails() throws Exception {
        Tracer tracer = new Tracer(new Sites(false), null, null, null);
        AgentApi.install(tracer, null);
        try {
            OpenResources broken = new OpenResources("port", "listening") {
                @Override
                java.util.Map<String, Integer> open() throws Exception {
                    throw new java.io.IOException("no way");
                }
            };
            broken.awaits();
            broken.awaits();
            assertTrue(look(broken).isEmpty());
        } finally {
            AgentApi.install(null, null);
        }
        byte[][] frames = tracer.mark('o', 0);
        assertEquals(1, frames.length);
        String note = new String(frames[0], StandardCharsets.UTF_8);
        assertTrue(note, note.contains("port (java.io.IOException: no way)"));
    }

    private static void write(Path to, String text) throws Exception {
        java.nio.file.Files.createDirectories(to.getParent());
        java.nio.file.Files.write(to, text.getBytes("US-ASCII"));
    }

    /** The process's own listening sockets, from both tables. */
    @Test
    public void kernelTables() throws Exception {
        Path process = folder.newFolder().toPath();
        String head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        write(process.resolve("net/tcp"), head
                + "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0 0 10 0\n"
                + "   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0 0 10 0\n"
                + "   2: 0100007F:1F92 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 13 1 0 100 0 0 10 0\n");
        write(process.resolve("net/tcp6"), head
                + "   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 14 1 0\n");
        Path open = java.nio.file.Files.createDirectories(process.resolve("fd"));
        for (int inode : new int[] {11, 12, 14}) {
            java.nio.file.Files.createSymbolicLink(open.resolve("" + inode), open.getFileSystem().getPath("socket:[" + inode + "]"));
        }
        java.nio.file.Files.createSymbolicLink(open.resolve("0"), open.getFileSystem().getPath("/dev/null"));
        assertEquals(new java.util.TreeMap<String, Integer>() {{ put("8080", 1); put("80", 1); }}, new java.util.TreeMap<String, Integer>(new OpenResources.Ports(process).open()));
        assertTrue("no such files, as on other systems", new OpenResources.Ports(process.resolve("gone")).open().isEmpty());
    }

    @Test(timeout = 120000)
    public void childThatKeepsRunning() throws Exception {
        String cat = "/bin/cat";
        assumeTrue(cat, new File(cat).canExecute());
        OpenResources children = new OpenResources.Children();
        children.awaits();
        Process first = new ProcessBuilder(cat).start(); // it waits for input before it prints
        Process second = null;
        try {
            String told = look(children).toString();
            assertTrue(told, told.startsWith("[child process ") && told.endsWith(": absent → running]"));
            second = new ProcessBuilder(cat).start();
            told = look(children).toString();
            assertTrue(told, told.endsWith(": running → 2 running]"));
        } finally {
            first.destroy();
            first.waitFor();
            assertTrue("its end is told of nobody", look(children).isEmpty());
            if (second != null) {
                second.destroy();
                second.waitFor();
            }
        }
        assertTrue(look(children).isEmpty());
    }

    @Test
    public void childrenBeforeJava9() throws Exception {
        Path processes = folder.newFolder().toPath();
        write(processes.resolve("7/stat"), "7 (java) S 1 7 7 0");
        write(processes.resolve("8/stat"), "8 (a (b) c) S 7 7 7 0");
        write(processes.resolve("9/stat"), "9 (gone) Z 7 7 7 0");
        write(processes.resolve("10/stat"), "10 (others) S 8 7 7 0");
        java.nio.file.Files.createSymbolicLink(processes.resolve("self"), processes.resolve("7"));
        assertEquals("[a (b) c]", OpenResources.Children.beforeHandles(processes).toString());
    }

    @Test
    public void callsThatOpen() {
        assertTrue(OpenResources.opens("java/net/ServerSocket", "<init>") && OpenResources.opens("com/sun/net/httpserver/HttpServer", "create") && OpenResources.opens("java/lang/ProcessBuilder", "start"));
        assertFalse(OpenResources.opens("java/net/ServerSocket", "accept") || OpenResources.opens("java/net/Socket", "<init>") || OpenResources.opens("java/lang/ProcessBuilder", "<init>"));
    }
}
