package io.odfix.harness.wire;

import java.nio.charset.StandardCharsets;

/** A frame under construction: length prefix, type byte, body fields in big-endian order. */
public final class Frame {
    /** The most bytes after the length prefix. */
    public static final int MAX = 16 << 20;

    private static final int PREFIX = 4;

    private byte[] bytes = new byte[256];
    private int size = PREFIX;

    public Frame(char type) {
        u8(type);
    }

    /** A frame that was built elsewhere: its type and its body. */
    public Frame(byte[] typeAndBody) {
        room(typeAndBody.length);
        System.arraycopy(typeAndBody, 0, bytes, size, typeAndBody.length);
        size += typeAndBody.length;
    }

    public Frame u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    public Frame u32(int value) {
        room(4);
        put(size, value);
        size += 4;
        return this;
    }

    public Frame i64(long value) {
        return u32((int) (value >>> 32)).u32((int) value);
    }

    /** Appends a string. Null is written as the empty string. */
    public Frame str(String value) {
        byte[] utf8 = (value == null ? "" : value).getBytes(StandardCharsets.UTF_8);
        u32(utf8.length);
        room(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    public Frame strs(java.util.List<String> values) {
        u32(values.size());
        for (String value : values) {
            str(value);
        }
        return this;
    }

    /** True if the frame is longer than the protocol allows. */
    public boolean tooLong() {
        return size - PREFIX > MAX;
    }

    int size() {
        return size;
    }

    /** The bytes to send. Only the first {@link #size} are used. */
    byte[] sealed() {
        put(0, size - PREFIX);
        return bytes;
    }

    private void put(int at, int value) {
        bytes[at] = (byte) (value >>> 24);
        bytes[at + 1] = (byte) (value >>> 16);
        bytes[at + 2] = (byte) (value >>> 8);
        bytes[at + 3] = (byte) value;
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            byte[] wider = new byte[Math.max(bytes.length * 2, size + more)];
            System.arraycopy(bytes, 0, wider, 0, size);
            bytes = wider;
        }
    }
}
