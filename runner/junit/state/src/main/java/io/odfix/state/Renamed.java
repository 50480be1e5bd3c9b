package io.odfix.state;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Map;

/**
 * Copies one of our own small classes with other names for some classes and methods. It replaces
 * texts among the constants (JVM specification, 4.4), whatever their use, because each of these
 * names has only one use. The class file library could do the same, but takes ten times as long in
 * a new JVM.
 */
final class Renamed {
    private final Map<String, String> names;
    private final DataInputStream in;
    private final ByteArrayOutputStream to = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(to);

    private Renamed(byte[] code, Map<String, String> names) {
        this.names = names;
        in = new DataInputStream(new ByteArrayInputStream(code));
    }

    static byte[] copy(byte[] code, Map<String, String> names) throws IOException {
        return new Renamed(code, names).copy();
    }

    private byte[] copy() throws IOException {
        pass(8); // magic number and version
        int count = in.readUnsignedShort();
        out.writeShort(count);
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == 1) {
                out.writeUTF(name(in.readUTF()));
            } else {
                pass(size(tag));
            }
            i += tag == 5 || tag == 6 ? 1 : 0; // a long or a double takes two numbers
        }
        pass(in.available());
        return to.toByteArray();
    }

    /** Of a constant, without its tag. */
    private static int size(int tag) {
        switch (tag) {
            case 5:
            case 6:
                return 8;
            case 7:
            case 8:
            case 16:
                return 2;
            case 15:
                return 3;
            default:
                return 4;
        }
    }

    private void pass(int bytes) throws IOException {
        byte[] some = new byte[bytes];
        in.readFully(some);
        out.write(some);
    }

    private String name(String text) {
        String other = names.get(text);
        if (other != null) {
            return other;
        }
        String renamed = text;
        for (Map.Entry<String, String> e : names.entrySet()) {
            if (renamed.indexOf('/') >= 0) { // it may be a descriptor
                renamed = renamed.replace("L" + e.getKey() + ";", "L" + e.getValue() + ";");
            }
        }
        return renamed;
    }
}
