package io.odfix.state;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.Path;
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
    private Set<Path> known = Collections.emptySet();

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

    /** What is there now, at whatever depth. */
    Set<Path> names() {
        Set<Path> out = new HashSet<Path>();
        if (own != null) {
            add(own, out);
        }
        return out;
    }

    private static void add(Path folder, Set<Path> to) {
        try (DirectoryStream<Path> all = java.nio.file.Files.newDirectoryStream(folder)) {
            for (Path one : all) {
                to.add(one);
                if (java.nio.file.Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS)) {
                    add(one, to);
                }
            }
        } catch (IOException e) {
            return; // it is gone meanwhile, or closed to everybody
        } catch (DirectoryIteratorException e) {
            return;
        }
    }

    /** Takes away what came since. What cannot be taken away is found by those who look at files. */
    void clear() {
        for (Path more : names()) {
            if (!known.contains(more)) {
                remove(more);
            }
        }
    }

    /** A file that came since, of which code is loaded: that stays, whatever becomes of the file. Null where there is none, or the system does not say. */
    String loaded(Path maps) {
        if (own == null || !java.nio.file.Files.isReadable(maps)) {
            return null;
        }
        try (BufferedReader in = java.nio.file.Files.newBufferedReader(maps, StandardCharsets.ISO_8859_1)) {
            String folder = own.toRealPath() + File.separator;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] columns = line.split(" +", 6); // addresses, permissions, offset, device, inode, file
                if (columns.length == 6 && columns[1].contains("x") && columns[5].startsWith(folder) && !known.contains(own.resolve(columns[5].substring(folder.length())))) {
                    return columns[5].substring(folder.length());
                }
            }
        } catch (IOException e) {
            return null;
        }
        return null;
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
