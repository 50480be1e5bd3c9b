package io.odfix.state;

import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;

/**
 * Reads a class file (JVM specification, chapter 4) to find the methods that touch static state.
 * Most methods do not, and stay unchanged. It searches each method's code for the bytes of
 * getstatic, putstatic and calls, followed by the number of a relevant constant. An operand can
 * have the same bytes, but no method that touches static state is missed.
 */
final class ClassScan {
    private static final int GETSTATIC = 0xb2;
    private static final int PUTSTATIC = 0xb3;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;
    /**
     * Parameters of methods that may be relevant. A method's real parameters are checked when its
     * code is woven.
     */
    private static final String ANY = "(Ljava/io/File;";
    private static final int STATIC = 0x0008;
    private static final int SYNTHETIC = 0x1000;

    private final ClassReader in;
    private final char[] room;
    private final BitSet mattering = new BitSet();
    /** Names and types of the methods that are to be woven. */
    private final Set<String> methods = new HashSet<String>();
    private boolean initialiser;
    private boolean statics;
    private int at;

    /** @throws ArrayIndexOutOfBoundsException if it is no class file */
    ClassScan(ClassReader in) {
        this.in = in;
        room = new char[in.getMaxStringLength()];
        for (int i = 1; i < in.getItemCount(); i++) {
            if (in.getItem(i) != 0 && matters(in.getItem(i))) {
                mattering.set(i);
            }
        }
        at = in.header + 6;
        at += 2 + 2 * u2(at);
        members(false);
        members(true);
    }

    /** True if the class has static fields, whether or not they are constants. */
    boolean statics() {
        return statics;
    }

    /** True if the class has a static initialiser. */
    boolean initialiser() {
        return initialiser;
    }

    /**
     * True for class files older than Java 6, whose classes do not report that they are
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

    /** True for fields and methods whose use is recorded. */
    private boolean matters(int constant) {
        int tag = in.readByte(constant - 1);
        if (tag < 9 || tag > 11) {
            return false;
        }
        int owner = u2(constant);
        if (tag != 9 && !begins(in.getItem(owner), "java") && !begins(in.getItem(owner), "com/sun/net/")) {
            return false;
        }
        String of = in.readClass(constant, room);
        String name = in.readUTF8(in.getItem(u2(constant + 2)), room);
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
            if (!ofCode) {
                statics |= (access & STATIC) != 0 && (access & SYNTHETIC) == 0 && !Exclusions.artificial(in.readUTF8(at + 2, room));
            } else if (begins(at + 2, "<clinit>")) {
                initialiser = true;
            }
            int name = at + 2;
            int attributes = u2(at + 6);
            at += 8;
            for (; attributes > 0; attributes--) {
                int length = in.readInt(at + 2);
                if (ofCode && !mattering.isEmpty() && begins(at, "Code") && touched(at + 14, at + 14 + in.readInt(at + 10))) {
                    methods.add(in.readUTF8(name, room) + in.readUTF8(name + 2, room));
                }
                at += 6 + length;
            }
        }
    }

    private boolean touched(int from, int end) {
        for (int i = from; i + 2 < end; i++) {
            int b = in.readByte(i);
            boolean instruction = b == GETSTATIC || b == PUTSTATIC || b == INVOKESTATIC || b == INVOKEVIRTUAL || b == INVOKESPECIAL;
            if (instruction && mattering.get(u2(i + 1))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the text that begins here belongs to a constant whose number is at this position. */
    private boolean begins(int position, String with) {
        int utf8 = in.getItem(u2(position));
        if (u2(utf8) < with.length()) {
            return false;
        }
        for (int i = 0; i < with.length(); i++) {
            if (in.readByte(utf8 + 2 + i) != with.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private int u2(int i) {
        return in.readUnsignedShort(i);
    }
}
