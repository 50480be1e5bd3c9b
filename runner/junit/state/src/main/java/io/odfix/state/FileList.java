package io.odfix.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A list of the files that there were before the process began, made by who started it: to look at
 * them here, in a JVM that has just begun, costs more than many a suite does. Its records end with
 * a zero: how many bytes of files were read; then for each file the number of the folder it lies
 * below, the kind of entry ({@code d}, {@code l} of links, {@code f}), bytes, the time of its last
 * change in nanoseconds, the sum of what is in it or nothing, and its path from there, with tabs
 * between. Behind an empty record are those in folders in which hardly a test writes: they are
 * taken in only when these are looked at.
 */
final class FileList {
    /**
     * What a look at one file takes in a JVM that has just begun, and bytes of its record, roughly:
     * both stand in for numbers that are not there yet.
     */
    private static final int NANOS = 50000;
    private static final int BYTES = 60;

    private final Path file;
    private byte[] all;
    private int next;

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
