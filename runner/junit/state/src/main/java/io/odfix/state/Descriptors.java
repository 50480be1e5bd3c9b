package io.odfix.state;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * What the system says this process has open, where it says that (Linux). Libraries and archives of classes are opened when first used. A file
 * that is open for reading, and not locked, is nothing to anybody who does not have that very stream: once all references are put back, nobody
 * has. It takes one descriptor, of which there are not so many that any number may stay.
 */
final class Descriptors {
    /** Files that may stay open for reading. */
    private static final int MOST = 200;
    private static final String OPEN = "/proc/self/fd";
    private static final String MORE = "/proc/self/fdinfo";
    /** The bits of a file's flags that say whether it can be written. */
    private static final int ACCESS = 3;

    /** Where each leads to, but for files that are merely read. */
    Set<String> open() {
        Set<String> out = new HashSet<String>();
        Set<String> read = new HashSet<String>();
        int reading = 0;
        String[] names = new File(OPEN).list();
        for (String name : names == null ? new String[0] : names) {
            try {
                Path at = new File(OPEN, name).toPath();
                String to = java.nio.file.Files.readSymbolicLink(at).toString();
                if (usual(to)) {
                    continue;
                } else if (isRead(at, name)) {
                    read.add(to);
                    reading++;
                } else {
                    out.add(to);
                }
            } catch (IOException e) {
                continue; // closed meanwhile: it was the look itself
            }
        }
        if (reading > MOST) {
            out.addAll(read);
        }
        return out;
    }

    private static boolean usual(String to) {
        return to.endsWith(".jar") || to.endsWith("/modules") || to.endsWith(".so")
                || to.startsWith("/dev/") || to.startsWith("/proc/") || to.startsWith("/sys/");
    }

    /** True of a file that can be read only, and is not locked. */
    private static boolean isRead(Path at, String name) throws IOException {
        if (!java.nio.file.Files.isRegularFile(at)) {
            return false;
        }
        boolean reads = false;
        for (String line : java.nio.file.Files.readAllLines(new File(MORE, name).toPath(), StandardCharsets.ISO_8859_1)) {
            if (line.startsWith("lock:")) {
                return false;
            } else if (line.startsWith("flags:")) {
                reads = (Integer.parseInt(line.substring("flags:".length()).trim(), 8) & ACCESS) == 0;
            }
        }
        return reads;
    }
}
