package io.odfix.state;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Inserts a record before each instruction of a method that writes into an object. The woven code
 * does not branch, so stack map frames remain valid. Writes of a constructor to its own fields are
 * left out, because the object may not be passed on before the superclass's constructor has run.
 */
final class WovenLines extends MethodVisitor {
    /** The maximal number of stack words that are needed. */
    private static final int ROOM = 5;
    private static final String OBJECT = "Ljava/lang/Object;";

    private final WriteLog writes;
    private final String owner;
    private final String method;
    private final String source;
    private int line;

    WovenLines(MethodVisitor to, WriteLog writes, String owner, String method, String source) {
        super(Opcodes.ASM9, to);
        this.writes = writes;
        this.owner = owner;
        this.method = method;
        this.source = source;
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
        super.visitLineNumber(number, start);
    }

    @Override
    public void visitFieldInsn(int opcode, String of, String field, String type) {
        if (opcode == Opcodes.PUTFIELD && !method.equals("<init>")) {
            field(field, type.charAt(0));
        }
        super.visitFieldInsn(opcode, of, field, type);
    }

    private void field(String field, char type) {
        if (type == 'J' || type == 'D') { // object, value: the object is recorded first
            super.visitInsn(Opcodes.DUP2_X1);
            super.visitInsn(Opcodes.POP2);
            super.visitInsn(Opcodes.DUP_X2);
            gate("holds", "(" + OBJECT + ")V");
            super.visitInsn(Opcodes.DUP2);
            box(type);
            at(WriteLog.Kind.FIELD, field);
            gate("wroteToHeld", "(" + OBJECT + "I)V");
            return;
        }
        super.visitInsn(Opcodes.DUP2);
        box(type);
        at(WriteLog.Kind.FIELD, field);
        gate("wrote", "(" + OBJECT + OBJECT + "I)V");
    }

    /** Boxes the primitive on the stack. All types smaller than int are ints. */
    private void box(char type) {
        if (type != 'L' && type != '[') {
            char as = "JDF".indexOf(type) < 0 ? 'I' : type;
            String to = "java/lang/" + (as == 'J' ? "Long" : as == 'D' ? "Double" : as == 'F' ? "Float" : "Integer");
            super.visitMethodInsn(Opcodes.INVOKESTATIC, to, "valueOf", "(" + as + ")L" + to + ";", false);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        switch (opcode) {
            case Opcodes.AASTORE:
                threefold("I", 'L', WriteLog.Kind.ELEMENT);
                break;
            case Opcodes.IASTORE:
            case Opcodes.BASTORE:
            case Opcodes.CASTORE:
            case Opcodes.SASTORE:
                threefold("I", 'I', WriteLog.Kind.ELEMENT);
                break;
            case Opcodes.FASTORE:
                threefold("I", 'F', WriteLog.Kind.ELEMENT);
                break;
            default:
                break; // of two words: the stack's instructions do not reach below three of these
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(int opcode, String of, String name, String type, boolean ofInterface) {
        if (opcode != Opcodes.INVOKESTATIC && of.startsWith("java/util/")) {
            call(name, type.substring(1, type.indexOf(')')));
        }
        super.visitMethodInsn(opcode, of, name, type, ofInterface);
    }

    /** A call that may change a collection, by its name and by what it takes. */
    private void call(String name, String takes) {
        Type[] taken = Type.getArgumentTypes("(" + takes + ")V");
        boolean objects = taken.length > 0 && taken[taken.length - 1].getSort() == Type.OBJECT;
        boolean queued = name.equals("put") && taken.length == 1;
        WriteLog.Kind kind = queued ? WriteLog.Kind.ADD : kind(name);
        if (kind == WriteLog.Kind.CLEAR && taken.length == 0) {
            super.visitInsn(Opcodes.DUP);
            at(kind, null);
            gate("wroteAll", "(" + OBJECT + "I)V");
        } else if (objects && taken.length == 1 && (kind == WriteLog.Kind.ADD || kind == WriteLog.Kind.REMOVE)) {
            super.visitInsn(Opcodes.DUP2);
            at(kind, null);
            gate("wrote", "(" + OBJECT + OBJECT + "I)V");
        } else if (objects && taken.length == 2 && kind == WriteLog.Kind.PUT && taken[0].getSort() == Type.OBJECT) {
            threefold(OBJECT, 'L', kind);
        } else if (objects && taken.length == 2 && (kind == WriteLog.Kind.ADD) && taken[0] == Type.INT_TYPE) {
            threefold("I", 'L', kind);
        }
    }

    private static WriteLog.Kind kind(String name) {
        switch (name) {
            case "put":
            case "putIfAbsent":
            case "replace":
            case "setProperty":
                return WriteLog.Kind.PUT;
            case "add":
            case "addElement":
            case "addFirst":
            case "addLast":
            case "offer":
            case "offerFirst":
            case "offerLast":
            case "push":
            case "set":
                return WriteLog.Kind.ADD;
            case "remove":
            case "removeElement":
                return WriteLog.Kind.REMOVE;
            case "clear":
            case "removeAllElements":
                return WriteLog.Kind.CLEAR;
            default:
                return null;
        }
    }

    /** Object, key, value: the object below the others is recorded last. */
    private void threefold(String key, char value, WriteLog.Kind kind) {
        super.visitInsn(Opcodes.DUP2_X1);
        box(value);
        gate("holds", "(" + key + OBJECT + ")V");
        super.visitInsn(Opcodes.DUP_X2);
        at(kind, null);
        gate("wrote", "(" + OBJECT + "I)V");
    }

    private void at(WriteLog.Kind kind, String field) {
        super.visitLdcInsn(writes.line(new WriteLog.Line(kind, field, new Sites.Writer(owner, method, source, line, false))));
    }

    private void gate(String name, String type) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Setup.GATE, name, type, false);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        super.visitMaxs(stack + ROOM, locals);
    }
}
