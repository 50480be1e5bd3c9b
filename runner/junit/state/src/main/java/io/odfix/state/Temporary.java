package io.odfix.state;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * A folder for temporary files in which no other process works, so that what an order makes there can be taken away. What the initialiser of a
 * class made there stays: the class does, too, and may hold its name.
 */
final class Temporary {
    /** The folder, or null where there is none of its own. */
    private final Path own;
    private Set<String> known = Collections.emptySet();

    private Temporary(Path own) {
        this.own = own;
    }

    /** Where the process has none of its own. */
    static Temporary shared() {
        return new Temporary(null);
    }

    /** Makes one below this folder, and has the JDK use it. */
    static Temporary in(String folder) {
        File own = new File(folder, Long.toString(System.nanoTime(), 36) + Integer.toString(System.identityHashCode(folder), 36));
        if (!own.mkdirs()) {
            return shared();
        }
        System.setProperty("java.io.tmpdir", own.getPath());
        return new Temporary(own.toPath());
    }

    /** From here on, what is there stays there. */
    void remember() {
        known = names();
    }

    /** What is there now. */
    Set<String> names() {
        String[] names = own == null ? null : own.toFile().list();
        return names == null ? Collections.<String>emptySet() : new HashSet<String>(Arrays.asList(names));
    }

    /** Takes away what came since. What cannot be taken away is found by those who look at files. */
    void clear() {
        Set<String> more = names();
        more.removeAll(known);
        for (String name : more) {
            remove(own.resolve(name));
        }
    }

    private static void remove(Path at) {
        try {
            if (java.nio.file.Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                try (DirectoryStream<Path> all = java.nio.file.Files.newDirectoryStream(at)) {
                    for (Path one : all) {
                        remove(one);
                    }
                }
            }
            java.nio.file.Files.delete(at);
        } catch (IOException e) {
            return; // it stays, and is found
        }
    }
}
