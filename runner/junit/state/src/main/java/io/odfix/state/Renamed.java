package io.odfix.state;

import java.util.Map;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Copies one of our own small classes with other names in place of some: of classes, and of methods that renamed classes have. */
final class Renamed extends ClassVisitor {
    private final Map<String, String> names;

    Renamed(ClassVisitor to, Map<String, String> names) {
        super(Opcodes.ASM9, to);
        this.names = names;
    }

    private String name(String internal) {
        String other = names.get(internal);
        return other == null ? internal : other;
    }

    private String types(String descriptor) {
        String out = descriptor;
        for (Map.Entry<String, String> e : names.entrySet()) {
            out = out.replace("L" + e.getKey() + ";", "L" + e.getValue() + ";");
        }
        return out;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
        super.visit(version, access, name(name), null, parent, interfaces);
    }

    @Override
    public FieldVisitor visitField(int access, String name, String type, String signature, Object value) {
        return super.visitField(access, name, types(type), null, value);
    }

    @Override
    public void visitInnerClass(String name, String outer, String inner, int access) {}

    @Override
    public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
        return new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, types(type), null, thrown)) {
            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
                super.visitFieldInsn(opcode, name(owner), field, types(descriptor));
            }

            @Override
            public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean ofInterface) {
                String called = names.containsKey(owner) ? name(method) : method;
                super.visitMethodInsn(opcode, name(owner), called, types(descriptor), ofInterface);
            }

            @Override
            public void visitTypeInsn(int opcode, String of) {
                super.visitTypeInsn(opcode, name(of));
            }

            @Override
            public void visitLocalVariable(
                    String variable, String descriptor, String sign,
                    org.objectweb.asm.Label from, org.objectweb.asm.Label to, int index) {}
        };
    }
}
