package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.After;
import org.junit.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Static fields of classes as they load, including classes that cannot be woven. */
public class WeaverTest {
    private static final class Own extends ClassLoader {
        Class<?> define(byte[] code, ProtectionDomain domain) {
            return defineClass(null, code, 0, code.length, domain);
        }
    }

    /**
     * The initialiser is two bytes shorter than the limit of a method, so nothing can be added to
     * it.
     */
    private static byte[] huge() {
        ClassWriter to = new ClassWriter(0);
        to.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, "acme/Huge", null, "java/lang/Object", null);
        to.visitField(Opcodes.ACC_STATIC, "state", "I", null, null);
        MethodVisitor m = to.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        m.visitCode();
        for (int i = 0; i < 16383; i++) {
            m.visitInsn(Opcodes.ICONST_1);
            m.visitFieldInsn(Opcodes.PUTSTATIC, "acme/Huge", "state", "I");
        }
        m.visitInsn(Opcodes.RETURN);
        m.visitMaxs(1, 0);
        m.visitEnd();
        return to.toByteArray();
    }

    @After
    public void nobodyObserves() {
        AgentApi.install(null, null);
    }

    private final List<Class<?>> loaded = new ArrayList<Class<?>>();
    private final Instrumentation jvm = (Instrumentation) Proxy.newProxyInstance(
            WeaverTest.class.getClassLoader(), new Class<?>[] {Instrumentation.class},
            (self, method, arguments) -> loaded.toArray(new Class<?>[0])); // the only name that is asked for

    /** The transformer's result for the class, which is initialised unchanged. */
    private byte[] load(Sites sites, byte[] code) throws Exception {
        Own loader = new Own();
        ProtectionDomain folder = new ProtectionDomain(new CodeSource(new URL("file:/classes/"), (Certificate[]) null), null);
        Class<?> c = loader.define(code, folder);
        byte[] woven = new Weaver(sites, null).transform(loader, Setup.internal(c), null, folder, code);
        loaded.add(c);
        Class.forName(c.getName(), true, loader);
        return woven;
    }

    private Roots observed(Sites sites) throws Exception {
        ReflectedMemory.install();
        Roots roots = new Roots(jvm, sites, Ambient.find(jvm, sites), new Options(new Properties()));
        AgentApi.install(null, roots);
        return roots;
    }

    private static List<String> names(Roots roots) {
        List<String> out = new ArrayList<String>();
        for (Root root : roots.all()) {
            out.add(root.name);
        }
        return out;
    }

    @Test
    public void tooLargeToBeWoven() throws Exception {
        Sites sites = new Sites(true);
        Roots roots = observed(sites);
        assertNull(load(sites, huge()));
        roots.update();
        assertEquals("[system property, acme.Huge.state]", names(roots).toString());
    }

    @Test
    public void rootsLoadedTogetherAreSortedByName() throws Exception {
        Sites sites = new Sites(true);
        Roots roots = observed(sites);
        for (String name : new String[] {"acme/C", "acme/A", "acme/B"}) {
            ClassWriter to = new ClassWriter(0);
            to.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
            to.visitField(Opcodes.ACC_STATIC, "z", "I", null, null);
            to.visitField(Opcodes.ACC_STATIC, "a", "I", null, null);
            load(sites, to.toByteArray());
        }
        roots.update();
        assertEquals("[system property, acme.A.z, acme.A.a, acme.B.z, acme.B.a, acme.C.z, acme.C.a]", names(roots).toString());
    }

    private static ClassWriter begin(String name) {
        ClassWriter to = new ClassWriter(0);
        to.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC, name, null, "java/lang/Object", null);
        return to;
    }

    /** Code that gets fields by reflection passes them on. */
    @Test
    public void reflection() throws Exception {
        ClassWriter to = begin("acme/Reflects");
        MethodVisitor m = to.visitMethod(Opcodes.ACC_STATIC, "get", "(Ljava/lang/reflect/Field;)V", null, null);
        m.visitCode();
        m.visitVarInsn(Opcodes.ALOAD, 0);
        m.visitInsn(Opcodes.ACONST_NULL);
        m.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/reflect/Field", "get", "(Ljava/lang/Object;)Ljava/lang/Object;", false);
        m.visitInsn(Opcodes.POP);
        m.visitInsn(Opcodes.RETURN);
        m.visitMaxs(2, 1);
        m.visitEnd();
        Sites sites = new Sites(false);
        observed(sites);
        byte[] woven = load(sites, to.toByteArray());
        assertNotNull(woven);
        List<String> calls = new ArrayList<String>();
        new ClassReader(woven).accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInsn(int opcode) {
                        calls.add(String.valueOf(opcode));
                    }

                    @Override
                    public void visitMethodInsn(int opcode, String of, String called, String takes, boolean ofInterface) {
                        calls.add(of + "." + called);
                    }
                };
            }
        }, 0);
        assertEquals("[1, 92, 87, java/lang/OdfixGate.property, java/lang/reflect/Field.get, 87, 177]", calls.toString());
    }

    /** Only static fields that may be asked about are reported. */
    @Test
    public void fieldsGotByReflection() throws Exception {
        Sites sites = new Sites(false);
        observed(sites);
        ClassWriter to = begin("acme/Reflected");
        to.visitField(Opcodes.ACC_STATIC, "state", "I", null, null);
        to.visitField(0, "own", "I", null, null);
        load(sites, to.toByteArray());
        Class<?> c = loaded.get(0);
        sites.keys().accept(c.getDeclaredField("own"));
        sites.keys().accept(Integer.class.getField("MAX_VALUE"));
        assertEquals(0, sites.take().length);
        sites.keys().accept(c.getDeclaredField("state"));
        int[] touched = sites.take();
        assertEquals(2, touched.length);
        assertEquals("acme/Reflected.state", sites.site(touched[0]).owner + "." + sites.site(touched[0]).field);
        assertEquals(Sites.READ, touched[1]);
    }
}
