package io.odfix.state;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A frame that is being built: type and body as in docs/harness-protocol.md. */
final class Bytes {
    private byte[] bytes = new byte[64];
    private int size;

    Bytes(char type) {
        u8(type);
    }

    Bytes u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    Bytes u32(int value) {
        return u8(value >>> 24).u8(value >>> 16).u8(value >>> 8).u8(value);
    }

    Bytes i64(long value) {
        return u32((int) (value >>> 32)).u32((int) value);
    }

    Bytes str(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        u32(utf8.length);
        room(utf8.length);
        System.arraycopy(utf8, 0, bytes, size, utf8.length);
        size += utf8.length;
        return this;
    }

    /** A list whose elements are already bytes. */
    Bytes list(int count, Bytes elements) {
        u32(count);
        room(elements.size - 1);
        System.arraycopy(elements.bytes, 1, bytes, size, elements.size - 1);
        size += elements.size - 1;
        return this;
    }

    byte[] done() {
        return Arrays.copyOf(bytes, size);
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + more));
        }
    }
}
