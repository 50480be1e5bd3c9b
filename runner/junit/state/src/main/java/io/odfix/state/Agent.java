package io.odfix.state;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * The entry point. The system class loader loads it. It puts its own jar on the bootstrap loader's
 * path, which then finds everything else.
 */
public final class Agent {
    private Agent() {}

    /**
     * Called by the JVM before main. If it fails, it prints the reason and the tests run
     * unobserved.
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
