package io.odfix.harness;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One event frame, decoded as docs/harness-protocol.md has it and not with the harness's own code.
 */
final class Received {
    final char type;
    long number;
    String id = "";
    char outcome;
    String kind = "";
    String message = "";
    String stack = "";
    boolean gone;
    final List<String> names = new ArrayList<>();
    private final ByteBuffer in;

    private Received(byte[] frame) {
        in = ByteBuffer.wrap(frame);
        type = (char) in.get();
    }

    static Received of(byte[] frame) {
        Received said = new Received(frame);
        said.decode();
        return said;
    }

    private void decode() {
        switch (type) {
            case 'h':
                number = in.getLong();
                id = str();
                in.getLong();
                strs();
                break;
            case 'd':
                id = str();
                kind = str();
                message = str();
                number = in.get() & 255;
                nodes();
                break;
            case 's':
                number = in.getLong();
                id = str();
                break;
            case 'i':
            case 'f':
                number = in.getLong();
                id = str();
                outcome = (char) in.get();
                in.getLong();
                failure();
                break;
            case 'c':
                number = in.getLong();
                id = str();
                failure();
                break;
            case 'e':
                number = in.getLong();
                message = str();
                strs();
                gone = in.get() == 1;
                break;
            case 'x':
                number = in.getLong();
                message = str();
                break;
            case 't':
                message = str();
                break;
            case '.':
                number = in.getLong();
                in.getLong();
                break;
            default:
                throw new IllegalStateException("a frame of unknown type " + type);
        }
    }

    private void failure() {
        kind = str();
        message = str();
        stack = str();
    }

    private void nodes() {
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            char node = (char) in.get();
            String name = str();
            int flags = in.get() & 255;
            names.add(node == 'e' ? "e" : node + " " + name + (flags == 0 ? "" : " /" + flags));
        }
    }

    private void strs() {
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            names.add(str());
        }
    }

    private String str() {
        byte[] utf8 = new byte[in.getInt()];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /** A line to compare with: {@code f 0 a.B#m p}. */
    @Override
    public String toString() {
        switch (type) {
            case 'f':
            case 'i':
                return type + " " + number + " " + id + " " + outcome;
            case 's':
            case 'c':
                return type + " " + number + " " + id;
            case 'e':
                return "e " + message + " " + names;
            default:
                return type + " " + number;
        }
    }

    /** The outcomes alone, one letter each, in the order in which they came. */
    static String outcomes(List<Received> all) {
        StringBuilder out = new StringBuilder();
        int next = 0;
        for (Received said : all) {
            if (said.type == 's' && said.number != next) {
                throw new AssertionError("a position began too early: " + all);
            }
            if (said.type == 'f') {
                if (said.number != next++) {
                    throw new AssertionError("outcomes out of order: " + all);
                }
                out.append(said.outcome);
            }
        }
        return out.toString();
    }

    static Received finished(List<Received> all, int position) {
        for (Received said : all) {
            if (said.type == 'f' && said.number == position) {
                return said;
            }
        }
        throw new AssertionError("position " + position + " has no outcome in " + all);
    }
}
