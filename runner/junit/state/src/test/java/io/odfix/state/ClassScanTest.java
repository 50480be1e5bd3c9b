package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The methods of a class file that are woven. */
public class ClassScanTest {
    private static MethodVisitor method(ClassWriter to, String name) {
        MethodVisitor m = to.visitMethod(Opcodes.ACC_STATIC, name, "()V", null, null);
        m.visitCode();
        return m;
    }

    private static void end(MethodVisitor m) {
        m.visitInsn(Opcodes.RETURN);
        m.visitMaxs(2, 2);
        m.visitEnd();
    }

    private static ClassWriter writer() {
        ClassWriter to = new ClassWriter(0);
        to.visit(Opcodes.V1_8, 0, "acme/ö/A", null, "java/lang/Object", null);
        return to;
    }

    private static ClassScan scan(ClassWriter of) {
        return new ClassScan(new ClassReader(of.toByteArray()));
    }

    @Test
    public void methodsThatTouchStaticState() {
        ClassWriter to = writer();
        to.visitField(0, "of", "I", null, null);
        for (String name : new String[] {"gets", "puts", "leftOut", "field", "long", "plain"}) {
            MethodVisitor m = method(to, name);
            switch (name) {
                case "gets":
                    m.visitFieldInsn(Opcodes.GETSTATIC, "acme/ö/A", "state", "I");
                    m.visitInsn(Opcodes.POP);
                    break;
                case "puts":
                    m.visitInsn(Opcodes.ICONST_0);
                    m.visitFieldInsn(Opcodes.PUTSTATIC, "other/B", "state", "I");
                    break;
                case "leftOut":
                    m.visitFieldInsn(Opcodes.GETSTATIC, "org/junit/Assume", "state", "I");
                    m.visitInsn(Opcodes.POP);
                    break;
                case "long":
                    m.visitLdcInsn(1L);
                    m.visitInsn(Opcodes.POP2);
                    break;
                case "field":
                    m.visitInsn(Opcodes.ACONST_NULL);
                    m.visitTypeInsn(Opcodes.CHECKCAST, "acme/ö/A");
                    m.visitFieldInsn(Opcodes.GETFIELD, "acme/ö/A", "of", "I");
                    m.visitInsn(Opcodes.POP);
                    break;
                default:
            }
            end(m);
        }
        ClassScan scan = scan(to);
        Set<String> touching = new TreeSet<String>();
        for (String name : new String[] {"gets", "puts", "leftOut", "field", "long", "plain"}) {
            if (scan.touches(name, "()V")) {
                touching.add(name);
            }
        }
        assertEquals("[gets, puts]", touching.toString());
        assertTrue(scan.touches());
        assertFalse(scan.initialiser());
        assertFalse(scan.statics());
        assertFalse(scan.old());
    }

    @Test
    public void initialisersAndStaticFields() {
        ClassWriter to = writer();
        to.visitField(Opcodes.ACC_STATIC, "state", "I", null, null);
        end(method(to, "<clinit>"));
        ClassScan scan = scan(to);
        assertTrue(scan.initialiser());
        assertTrue(scan.touches());
        assertTrue(scan.statics());
        assertFalse(scan.touches("<clinit>", "()V"));
    }

    @Test
    public void classWithoutStaticState() {
        ClassScan scan = scan(writer());
        assertFalse(scan.touches());
        assertFalse(scan.statics());
    }
}
