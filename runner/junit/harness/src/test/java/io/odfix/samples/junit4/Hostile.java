package io.odfix.samples.junit4;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Locale;
import java.util.TimeZone;
import org.junit.Assert;
import org.junit.Test;

/** What tests do to the JVM they run in. */
public class Hostile {
    @Test
    public void swapsStreams() {
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        System.setErr(new PrintStream(new ByteArrayOutputStream()));
        System.setIn(new ByteArrayInputStream(new byte[0]));
    }

    @Test
    public void closesStreams() throws Exception {
        System.out.close();
        System.err.close();
        System.in.close();
    }

    @Test
    public void interrupts() {
        Thread.currentThread().interrupt();
    }

    @Test
    public void isInterrupted() {
        Assert.assertTrue(Thread.interrupted());
    }

    @Test
    public void changesDefaults() {
        Locale.setDefault(new Locale("tr", "TR"));
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        System.setProperty("file.encoding", "UTF-16");
        System.getProperties().remove("java.class.path");
        Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], null));
    }

    @Test
    public void leavesContextClassLoader() {
        Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0], null));
    }

    @Test
    public void hasContextClassLoader() throws Exception {
        Thread.currentThread().getContextClassLoader().loadClass(Hostile.class.getName());
    }

    @Test
    public void overflows() {
        overflow(0);
    }

    private static int overflow(int depth) {
        return overflow(depth + 1) + 1;
    }

    @Test
    public void exhaustsMemory() {
        long[][] hoard = new long[1 << 20][];
        for (int i = 0; i < hoard.length; i++) {
            hoard[i] = new long[1 << 20];
        }
    }

    @Test
    public void failsAtLength() {
        StringBuilder text = new StringBuilder("ünïcödé ");
        for (int i = 0; i < 100000; i++) {
            text.append("long ");
        }
        throw new IllegalStateException(text.toString());
    }

    @Test
    public void throwsHostileException() {
        throw new RuntimeException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new IllegalStateException("no message either");
            }

            @Override
            public synchronized Throwable getCause() {
                return this;
            }
        };
    }

    @Test
    public void forbidsExit() {
        System.setSecurityManager(new SecurityManager() {
            @Override
            public void checkExit(int status) {
                throw new SecurityException("nobody leaves");
            }

            @Override
            public void checkPermission(java.security.Permission permission) {}

            @Override
            public void checkWrite(java.io.FileDescriptor descriptor) {
                throw new SecurityException("nobody writes");
            }
        });
    }

    @Test
    public void leavesThread() {
        new Thread("left behind") {
            @Override
            public void run() {
                synchronized (this) {
                    while (true) {
                        try {
                            wait();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            }
        }.start();
    }

    @Test
    public void exits() {
        System.exit(7);
    }

    @Test
    public void hangs() throws Exception {
        Object never = new Object();
        synchronized (never) {
            never.wait();
        }
    }

    @Test
    public void quiet() {}
}
