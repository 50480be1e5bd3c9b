package io.odfix.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A list of the files that existed before the process began, made by the process that started it.
 * Listing them in a JVM that has just begun would cost more than many suites take. Records end with
 * a zero byte. The first is the number of bytes of files that were read. Then comes a record for
 * each file, with tabs between its fields: the number of the root folder, the kind of entry ({@code
 * d}, {@code l} for links, {@code f}), the size, the time of the last change in nanoseconds, the
 * checksum of the content or nothing, and the path below the root. After an empty record come the
 * files in folders in which tests hardly ever write; they are read only when those folders are
 * compared.
 */
final class FileList {
    /**
     * Estimates: the time to examine one file in a JVM that has just begun, and the size of its
     * record.
     */
    private static final int NANOS = 50000;
    private static final int BYTES = 60;

    private final Path file;
    private byte[] all;
    private int next;

    /** Receives the content of the list. */
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

    /** True until the first part was read. */
    boolean unread() {
        return all == null;
    }

    /** Reads the next of the two parts. */
    void read(Into into) throws IOException {
        if (all == null) {
            all = java.nio.file.Files.readAllBytes(file);
            into.read(Integer.parseInt(record()));
        }
        for (String record = next < all.length ? record() : ""; !record.isEmpty(); record = next < all.length ? record() : "") {
            String[] of = record.split("\t", 6);
            into.file(Integer.parseInt(of[0]), of[1].charAt(0), Long.parseLong(of[2]), Long.parseLong(of[3]), of[4].isEmpty() ? null : Long.valueOf(of[4]), of[5]);
        }
    }

    private String record() {
        int from = next;
        while (all[next] != 0) {
            next++;
        }
        return new String(all, from, next++ - from, StandardCharsets.UTF_8);
    }
}
