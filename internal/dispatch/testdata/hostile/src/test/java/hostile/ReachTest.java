package hostile;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.Test;

/** Tries to reach what is none of its business. Each test passes where it was refused. */
public class ReachTest {

    private static final Properties ATTACK = new Properties();

    static {
        try (InputStream in = ReachTest.class.getResourceAsStream("/attack.properties")) {
            ATTACK.load(in);
        } catch (IOException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Test
    public void environment() throws IOException {
        String secret = ATTACK.getProperty("secret");
        assertFalse("the secret is in the environment", System.getenv().toString().contains(secret));
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Paths.get("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try {
                    String text = new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.ISO_8859_1);
                    assertFalse("the secret is in the environment of " + process, text.contains(secret));
                } catch (IOException refused) {
                    // what is wanted
                }
            }
        }
    }

    @Test
    public void home() {
        unreadable(ATTACK.getProperty("home"));
    }

    @Test
    public void otherJob() {
        unreadable(ATTACK.getProperty("otherJob"));
    }

    @Test
    public void database() {
        unreadable(ATTACK.getProperty("database"));
    }

    @Test
    public void systemFiles() {
        unreadable("/etc/shadow");
        unreadable("/var/lib");
        unreadable("/var/run/docker.sock");
        unreadable("/run/systemd");
        unreadable("/sys/fs/cgroup");
    }

    private static void unreadable(String path) {
        File f = new File(path);
        String[] names = f.list();
        assertTrue(path + " can be listed: " + (names == null ? "" : String.join(" ", names)), names == null);
        try {
            Files.readAllBytes(f.toPath());
            fail(path + " can be read");
        } catch (IOException refused) {
            // what is wanted
        }
    }

    @Test
    public void metadata() {
        unreachable("169.254.169.254", 80);
    }

    @Test
    public void hostLoopback() {
        unreachable("127.0.0.1", Integer.parseInt(ATTACK.getProperty("port")));
        unreachable("::1", Integer.parseInt(ATTACK.getProperty("port")));
    }

    @Test
    public void internet() {
        unreachable("1.1.1.1", 443);
        unreachable("2606:4700:4700::1111", 443);
    }

    @Test
    public void names() {
        try {
            fail("the name was found: " + InetAddress.getByName("repo.maven.apache.org"));
        } catch (UnknownHostException refused) {
            // what is wanted
        }
    }

    private static void unreachable(String host, int port) {
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress(host, port), 3000);
            fail(host + " answers on port " + port);
        } catch (IOException refused) {
            // what is wanted
        }
    }

    @Test
    public void writing() {
        List<String> written = new ArrayList<>();
        String[] folders = {"/", "/usr", "/usr/local/bin", "/etc", "/dev", "/odfix", "/var", "/proc/sys/kernel", ATTACK.getProperty("checkout"),
            "/odfix/m2/repository", "/odfix/m2"};
        for (String folder : folders) {
            try {
                Files.write(Paths.get(folder, "odfix-was-here"), new byte[1]);
                written.add(folder);
            } catch (IOException refused) {
                // what is wanted
            }
        }
        String[] files = {"/odfix/odfix-runner", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", ATTACK.getProperty("checkout") + "/pom.xml"};
        for (String file : files) {
            try {
                Files.write(Paths.get(file), new byte[0], StandardOpenOption.WRITE, StandardOpenOption.APPEND);
                written.add(file);
            } catch (IOException refused) {
                // what is wanted
            }
        }
        assertTrue("written: " + written, written.isEmpty());
    }

    /** The machine's Maven repository: what is in ours may be replaced, what is behind it may not change. */
    @Test
    public void mavenRepository() throws IOException {
        Path jar = Paths.get(org.junit.Test.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        try (var out = Files.newOutputStream(jar, StandardOpenOption.WRITE)) {
            fail(jar + " can be written");
        } catch (IOException refused) {
            // what is wanted
        }
    }

    @Test
    public void namespaces() throws Exception {
        for (String command : new String[] {"unshare -Ur true", "unshare -m true", "mount -t tmpfs none /tmp", "nsenter -t 1 -m true"}) {
            Process p = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
            p.getInputStream().readAllBytes();
            assertFalse(command + " succeeds", p.waitFor() == 0);
        }
    }

    @Test
    public void signals() throws Exception {
        long parent = Long.parseLong(ATTACK.getProperty("pid"));
        assertFalse("the process that dispatched us is seen", ProcessHandle.of(parent).filter(h -> h.info().command().isPresent()).isPresent());
    }

    /** Leaves a process behind that belongs to no group of ours. The test outside looks for it. */
    @Test
    public void outliving() throws Exception {
        Process p = new ProcessBuilder("setsid", "sh", "-c", "trap '' TERM HUP INT; sleep " + ATTACK.getProperty("sleep") + " & sleep " + ATTACK.getProperty("sleep")).start();
        assertTrue(p.isAlive());
    }
}
