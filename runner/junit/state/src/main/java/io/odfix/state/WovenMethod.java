package io.odfix.state;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * The calls that are woven into one method. None of them branches, so stack map frames remain
 * valid.
 */
final class WovenMethod extends MethodVisitor {
    private static final Set<String> REFLECTS = new HashSet<String>(java.util.Arrays.asList(
            "get", "getBoolean", "getByte", "getChar", "getShort", "getInt", "getLong", "getFloat", "getDouble"));
    private static final String PROPERTY_OF = "(Ljava/lang/String;";

    private final Weaver.Woven in;
    private final String name;
    /** It is the static initialiser. */
    private final boolean initialises;
    private final Label begin = new Label();
    /** Fields that were got above, as owner.name. */
    private final Set<String> got = new HashSet<String>();
    private int line;
    private int more;

    WovenMethod(MethodVisitor to, Weaver.Woven in, String name) {
        super(Opcodes.ASM9, to);
        this.in = in;
        this.name = name;
        initialises = name.equals("<clinit>");
    }

    @Override
    public void visitLineNumber(int number, Label start) {
        line = number;
        super.visitLineNumber(number, start);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (initialises) {
            gate("initialises", "()V", 0);
            super.visitLabel(begin);
        }
    }

    @Override
    public void visitFieldInsn(int opcode, String of, String field, String type) {
        boolean put = opcode == Opcodes.PUTSTATIC;
        if (put || opcode == Opcodes.GETSTATIC) {
            touch(of, field, put);
        }
        super.visitFieldInsn(opcode, of, field, type);
    }

    private void touch(String of, String field, boolean put) {
        int code = AgentApi.call(of, field);
        if (code != 0) {
            touch(code >> 4, put, -1);
            return;
        }
        if (Exclusions.leftOut(of) || Exclusions.artificial(field) || !AgentApi.mayObserve(of) || initialises && of.equals(in.owner)) {
            return; // a class's own fields in its initialiser: their first values
        }
        if (!put) {
            got.add(of + "." + field);
        }
        touch(in.place(of, field), put, put ? in.writer(name, line, got.contains(of + "." + field)) : -1);
    }

    private void touch(int place, boolean put, int by) {
        if (place < 0) {
            return;
        }
        push(place);
        if (by < 0) {
            gate(put ? "write" : "read", "(I)V", 1);
            return;
        }
        push(by);
        gate("writeAt", "(II)V", 2);
    }

    @Override
    public void visitMethodInsn(int opcode, String of, String name, String type, boolean ofInterface) {
        if (opcode == Opcodes.INVOKESTATIC && of.startsWith("java/")) {
            int code = AgentApi.call(of, name);
            if (code != 0) {
                touch(code >> 4, (code & Sites.WRITE) != 0, -1);
            } else if (property(of, name) && type.startsWith(PROPERTY_OF)) {
                key(name.equals("setProperty") || name.equals("clearProperty") ? "setsProperty" : "property", type);
            }
        }
        if (reflects(of, name)) {
            super.visitInsn(Opcodes.DUP2);
            super.visitInsn(Opcodes.POP);
            gate("property", "(Ljava/lang/Object;)V", 2);
        }
        if (of.startsWith("java/") && Files.writes(of, name, type)) {
            touch(AgentApi.files(), true, -1);
        }
        if (OpenResources.opens(of, name)) {
            touch(AgentApi.opened(), true, -1);
        }
        super.visitMethodInsn(opcode, of, name, type, ofInterface);
    }

    static boolean property(String of, String name) {
        switch (of) {
            case "java/lang/System":
                return name.endsWith("Property");
            case "java/lang/Boolean":
                return name.equals("getBoolean");
            case "java/lang/Integer":
                return name.equals("getInteger");
            case "java/lang/Long":
                return name.equals("getLong");
            default:
                return false;
        }
    }

    /** A call that gets a field by reflection. The field is on the stack below the object. */
    static boolean reflects(String of, String name) {
        return of.equals("java/lang/reflect/Field") && REFLECTS.contains(name);
    }

    /** Passes on the key, which is on the stack alone or below one more word. */
    private void key(String method, String type) {
        if (type.startsWith(PROPERTY_OF + ")")) {
            super.visitInsn(Opcodes.DUP);
            gate(method, "(Ljava/lang/Object;)V", 1);
        } else if (!type.startsWith(PROPERTY_OF + "J")) {
            super.visitInsn(Opcodes.DUP2);
            super.visitInsn(Opcodes.POP);
            gate(method, "(Ljava/lang/Object;)V", 2);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        if (initialises && opcode == Opcodes.RETURN) {
            ends();
        }
        super.visitInsn(opcode);
    }

    private void ends() {
        if (in.frames) {
            super.visitLdcInsn(Type.getObjectType(in.owner));
        } else { // constants of classes came with Java 5
            super.visitLdcInsn(in.owner.replace('/', '.'));
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Class", "forName", "(Ljava/lang/String;)Ljava/lang/Class;", false);
        }
        gate("initialised", "(Ljava/lang/Class;)V", 1);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        if (initialises) {
            Label end = new Label();
            super.visitLabel(end);
            super.visitTryCatchBlock(begin, end, end, null);
            if (in.frames) {
                super.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            }
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Setup.GATE, "failed", "()V", false);
            super.visitInsn(Opcodes.ATHROW);
            in.changed = true;
        }
        super.visitMaxs(Math.max(stack + more, 1), locals);
    }

    private void gate(String method, String type, int stack) {
        more = Math.max(more, stack);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, Setup.GATE, method, type, false);
        in.changed = true;
    }

    private void push(int value) {
        if (value <= Short.MAX_VALUE) {
            super.visitIntInsn(value <= Byte.MAX_VALUE ? Opcodes.BIPUSH : Opcodes.SIPUSH, value);
        } else {
            super.visitLdcInsn(value);
        }
    }
}
