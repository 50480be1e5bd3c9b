package io.odfix.state;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * The entry point. It is loaded by the system class loader, and does no more than to have
 * everything else found by the bootstrap loader, its own jar being put there.
 */
public final class Agent {
    private Agent() {}

    /**
     * Called by the JVM before main. A failure is printed and leaves the tests to run unobserved.
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            File jar = new File(Agent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            JarFile opened = new JarFile(jar);
            instrumentation.appendToBootstrapClassLoaderSearch(opened);
            Class.forName("io.odfix.state.Setup", true, null)
                    .getMethod("start", String.class, Instrumentation.class, JarFile.class)
                    .invoke(null, arguments, instrumentation, opened);
        } catch (Throwable t) {
            System.err.println("odfix state: cannot observe this JVM: " + t);
            if (t.getCause() != null) {
                System.err.println("odfix state: caused by " + t.getCause());
            }
        }
    }
}
