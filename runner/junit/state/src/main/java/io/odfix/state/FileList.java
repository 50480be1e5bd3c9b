package io.odfix.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A list of the files that there were before the process began, made by who started it: to look at them here, in a JVM that has just begun, costs
 * more than many a suite does. Its records end with a zero: how many bytes of files were read; then for each file the number of the
 * folder it lies below, the kind of entry ({@code d}, {@code l} of links, {@code f}), bytes, the time of its last change in nanoseconds, the sum of what is in it or nothing, and
 * its path from there, with tabs between.
 */
final class FileList {
    /** What a look at one file takes in a JVM that has just begun, and bytes of its record, roughly: both stand in for numbers that are not there yet. */
    private static final int NANOS = 50000;
    private static final int BYTES = 60;

    private final Path file;

    /** Takes what the list says. */
    interface Into {
        void read(int bytes);

        /** @param sum null where it was not read */
        void file(int below, char kind, long size, long time, Long sum, String path);
    }

    FileList(Path file) {
        this.file = file;
    }

    /** How long it would take to make such a list here, in nanoseconds; 0 where there is none. */
    long price() {
        return file.toFile().length() / BYTES * NANOS;
    }

    void read(Into into) throws IOException {
        byte[] all = java.nio.file.Files.readAllBytes(file);
        int from = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] != 0) {
                continue;
            }
            String record = StandardCharsets.UTF_8.decode(ByteBuffer.wrap(all, from, i - from)).toString();
            if (from == 0) {
                into.read(Integer.parseInt(record));
            } else {
                String[] of = record.split("\t", 6);
                into.file(Integer.parseInt(of[0]), of[1].charAt(0), Long.parseLong(of[2]), Long.parseLong(of[3]), of[4].isEmpty() ? null : Long.valueOf(of[4]), of[5]);
            }
            from = i + 1;
        }
    }
}
