package io.odfix.harness;

import io.odfix.harness.wire.Frame;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;

/** The first frame: versions of the protocol, of Java and of the frameworks. */
final class Hello {
    private static final int VERSION = 1;

    private Hello() {}

    static Frame frame() {
        List<String> found = Frameworks.found();
        return new Frame('h')
                .i64(VERSION)
                .str(System.getProperty("java.version"))
                .i64(pid())
                .strs(found);
    }

    /**
     * The process id. The management beans take tens of milliseconds, so they are the last resort.
     */
    private static long pid() {
        try {
            File self = new File("/proc/self");
            if (self.exists()) {
                return Long.parseLong(self.getCanonicalFile().getName());
            }
            Class<?> handle = Class.forName("java.lang.ProcessHandle");
            return (Long) handle.getMethod("pid").invoke(handle.getMethod("current").invoke(null));
        } catch (IOException | NumberFormatException | ReflectiveOperationException e) {
            String name = ManagementFactory.getRuntimeMXBean().getName();
            int at = name.indexOf('@');
            return at < 0 ? -1 : Long.parseLong(name.substring(0, at));
        }
    }
}
