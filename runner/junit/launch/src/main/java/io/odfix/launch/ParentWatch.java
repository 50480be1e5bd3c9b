package io.odfix.launch;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;

/** Ends this Maven, and all it has started, when odfix is gone, however it went. */
final class ParentWatch {
    private ParentWatch() {
    }

    /** Opens {@code pipe}, whose other end only odfix holds, and waits for its end. */
    static void start(String pipe) {
        Thread watch = new Thread(() -> await(pipe), "odfix-parent");
        watch.setDaemon(true);
        watch.start();
    }

    private static void await(String pipe) {
        try (InputStream in = new FileInputStream(pipe)) {
            while (in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            System.err.println("odfix: cannot watch for the end of odfix: " + e);
            return;
        }
        killGroup();
        Runtime.getRuntime().halt(143);
    }

    /** odfix starts Maven as the leader of a process group of its own; its forks are in it. */
    private static void killGroup() {
        String pid = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
        try {
            new ProcessBuilder("kill", "-KILL", "--", "-" + pid).start().waitFor();
        } catch (IOException | InterruptedException e) {
            // halt follows
        }
    }
}
