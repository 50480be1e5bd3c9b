package io.odfix.state;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;

/**
 * Reads a class file (JVM specification, chapter 4) to find the methods that touch static state at
 * all; most do not, and are left as they are. It searches each method's code for the bytes of
 * getstatic, putstatic and calls, followed by the number of a constant that matters. An operand can
 * look the same, but a method that touches static state is never missed.
 */
final class ClassScan {
    private static final int GETSTATIC = 0xb2;
    private static final int PUTSTATIC = 0xb3;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    /**
     * Parameters for which a method may matter. Its real ones are checked only when its code is
     * woven.
     */
    private static final String ANY = "(Ljava/io/File;";
    private static final int STATIC = 0x0008;
    private static final int SYNTHETIC = 0x1000;

    private final byte[] code;
    private final int[] constants;
    private final BitSet mattering = new BitSet();
    /** Names and types of the methods that are to be woven. */
    private final Set<String> methods = new HashSet<String>();
    private boolean initialiser;
    private boolean statics;
    private int at;

    /** @throws ArrayIndexOutOfBoundsException where it is no class file */
    ClassScan(byte[] code) {
        this.code = code;
        constants = new int[u2(8)];
        at = 10;
        for (int i = 1; i < constants.length; i++) {
            constants[i] = at;
            int tag = code[at];
            at += size(tag);
            i += tag == 5 || tag == 6 ? 1 : 0; // a long or a double takes two numbers
        }
        for (int i = 1; i < constants.length; i++) {
            if (constants[i] != 0 && matters(constants[i])) {
                mattering.set(i);
            }
        }
        at += 6;
        at += 2 + 2 * u2(at);
        members(false);
        members(true);
    }

    /** True where the class has static fields, whether or not they are constants. */
    boolean statics() {
        return statics;
    }

    /** True where the class has a static initialiser. */
    boolean initialiser() {
        return initialiser;
    }

    /**
     * True of class files from before Java 6, whose classes do not report that they are
     * initialised.
     */
    boolean old() {
        return u2(6) < 50;
    }

    boolean touches() {
        return initialiser || !methods.isEmpty();
    }

    boolean touches(String method, String type) {
        return methods.contains(method + type);
    }

    private int size(int tag) {
        switch (tag) {
            case 1:
                return 3 + u2(at + 1);
            case 5:
            case 6:
                return 9;
            case 7:
            case 8:
            case 16:
            case 19:
            case 20:
                return 3;
            case 15:
                return 4;
            default:
                return 5;
        }
    }

    /** True of fields and methods whose use is recorded. */
    private boolean matters(int constant) {
        int tag = code[constant];
        if (tag < 9 || tag > 11) {
            return false;
        }
        int owner = constants[u2(constants[u2(constant + 1)] + 1)];
        if (tag != 9 && !begins(owner, "java") && !begins(owner, "com/sun/net/")) {
            return false;
        }
        String of = text(owner);
        String name = text(constants[u2(constants[u2(constant + 3)] + 1)]);
        if (tag == 9) {
            return !Exclusions.artificial(name) && !Exclusions.leftOut(of) && AgentApi.mayObserve(of) || AgentApi.call(of, name) != 0;
        }
        return OpenResources.opens(of, name) || WovenMethod.property(of, name) || WovenMethod.reflects(of, name) || AgentApi.call(of, name) != 0 || Files.writes(of, name, ANY);
    }

    private void members(boolean ofCode) {
        int count = u2(at);
        at += 2;
        for (; count > 0; count--) {
            int access = u2(at);
            int name = constants[u2(at + 2)];
            int type = constants[u2(at + 4)];
            if (!ofCode) {
                statics |= (access & STATIC) != 0 && (access & SYNTHETIC) == 0 && !Exclusions.artificial(text(name));
            } else if (begins(name, "<clinit>")) {
                initialiser = true;
            }
            int attributes = u2(at + 6);
            at += 8;
            for (; attributes > 0; attributes--) {
                int length = u4(at + 2);
                if (ofCode && !mattering.isEmpty() && begins(constants[u2(at)], "Code") && touched(at + 14, at + 14 + u4(at + 10))) {
                    methods.add(text(name) + text(type));
                }
                at += 6 + length;
            }
        }
    }

    private boolean touched(int from, int end) {
        for (int i = from; i + 2 < end; i++) {
            int b = code[i] & 0xff;
            boolean instruction = b == GETSTATIC || b == PUTSTATIC || b == INVOKESTATIC || b == INVOKEVIRTUAL || b == INVOKESPECIAL;
            if (instruction && mattering.get(u2(i + 1))) {
                return true;
            }
        }
        return false;
    }

    private boolean begins(int utf8, String with) {
        if (u2(utf8 + 1) < with.length()) {
            return false;
        }
        for (int i = 0; i < with.length(); i++) {
            if (code[utf8 + 3 + i] != with.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String text(int utf8) {
        int length = u2(utf8 + 1);
        for (int i = 0; i < length; i++) {
            if (code[utf8 + 3 + i] < 0) {
                return wide(utf8 + 1);
            }
        }
        @SuppressWarnings("deprecation")
        String ascii = new String(code, 0, utf8 + 3, length);
        return ascii;
    }

    private String wide(int at) {
        try {
            return new java.io.DataInputStream(new java.io.ByteArrayInputStream(code, at, code.length - at)).readUTF();
        } catch (java.io.IOException e) {
            throw new ArrayIndexOutOfBoundsException("malformed text");
        }
    }

    private int u2(int i) {
        return (code[i] & 0xff) << 8 | code[i + 1] & 0xff;
    }

    private int u4(int i) {
        return u2(i) << 16 | u2(i + 2);
    }
}
