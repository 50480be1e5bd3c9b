package io.odfix.harness.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A received command: its type and a cursor over its body. A field beyond the end of the body is a
 * {@link Malformed} frame, never an index error.
 */
public final class Command {
    /** A body that does not have the fields of its type. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    private final byte[] frame;
    private int at = 1;

    Command(byte[] frame) {
        this.frame = frame;
    }

    /** Reads the next frame; null at the end of the pipe. */
    public static Command read(InputStream in) throws IOException {
        byte[] prefix = new byte[4];
        int first = in.read();
        if (first < 0) {
            return null;
        }
        prefix[0] = (byte) first;
        fill(in, prefix, 1);
        int length = int32(prefix, 0);
        if (length < 1 || length > Frame.MAX) {
            throw new IOException("a frame of " + (length & 0xffffffffL) + " bytes is not part of the protocol");
        }
        byte[] frame = new byte[length];
        fill(in, frame, 0);
        return new Command(frame);
    }

    public char type() {
        return (char) (frame[0] & 0xff);
    }

    /** True if the body has more bytes. Later fields are optional. */
    public boolean more() {
        return at < frame.length;
    }

    public long i64() throws Malformed {
        int start = take(8);
        return (long) int32(frame, start) << 32 | int32(frame, start + 4) & 0xffffffffL;
    }

    public String str() throws Malformed {
        int length = int32(frame, take(4));
        return new String(frame, take(length), length, StandardCharsets.UTF_8);
    }

    public List<String> strs() throws Malformed {
        int count = int32(frame, take(4));
        if (count < 0 || count > (frame.length - at) / 4) {
            throw new Malformed("a list of " + count + " strings does not fit its frame");
        }
        List<String> all = new ArrayList<String>(count);
        for (int i = 0; i < count; i++) {
            all.add(str());
        }
        return all;
    }

    private int take(int length) throws Malformed {
        if (length < 0 || length > frame.length - at) {
            throw new Malformed("a field of " + length + " bytes reaches beyond its frame");
        }
        int start = at;
        at += length;
        return start;
    }

    private static int int32(byte[] b, int i) {
        return (b[i] & 0xff) << 24 | (b[i + 1] & 0xff) << 16 | (b[i + 2] & 0xff) << 8 | b[i + 3] & 0xff;
    }

    private static void fill(InputStream in, byte[] into, int from) throws IOException {
        for (int n = from; n < into.length; ) {
            int read = in.read(into, n, into.length - n);
            if (read < 0) {
                throw new EOFException("the command pipe ended within a frame");
            }
            n += read;
        }
    }
}
