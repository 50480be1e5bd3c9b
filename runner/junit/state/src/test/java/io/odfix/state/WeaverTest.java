package io.odfix.state;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

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
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Classes that cannot be woven have static fields, too. */
public class WeaverTest {
    private static final class Own extends ClassLoader {
        Class<?> define(byte[] code, ProtectionDomain domain) {
            return defineClass(null, code, 0, code.length, domain);
        }
    }

    /** Its initialiser is as long as methods can be but for two bytes, so that nothing can be added to it. */
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
        Marks.install(null, null);
    }

    @Test
    public void tooLargeToBeWoven() throws Exception {
        ReflectedMemory.install();
        final List<Class<?>> loaded = new ArrayList<Class<?>>();
        Instrumentation jvm = (Instrumentation) Proxy.newProxyInstance(
                WeaverTest.class.getClassLoader(), new Class<?>[] {Instrumentation.class},
                (self, method, arguments) -> loaded.toArray(new Class<?>[0])); // only this is asked
        Sites sites = new Sites(true);
        Roots roots = new Roots(jvm, sites, Ambient.find(jvm, sites), new Options(new Properties()));
        Marks.install(null, roots);

        Own loader = new Own();
        ProtectionDomain folder = new ProtectionDomain(new CodeSource(new URL("file:/classes/"), (Certificate[]) null), null);
        assertNull(new Weaver(sites).transform(loader, "acme/Huge", null, folder, huge()));
        Class<?> huge = loader.define(huge(), folder);
        loaded.add(huge);
        Class.forName(huge.getName(), true, loader);
        roots.update();

        List<String> names = new ArrayList<String>();
        for (Root root : roots.all()) {
            names.add(root.name);
        }
        assertTrue(names.toString(), names.contains("acme.Huge.state"));
    }
}
