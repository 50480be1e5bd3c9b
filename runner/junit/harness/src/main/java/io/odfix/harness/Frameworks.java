package io.odfix.harness;

import io.odfix.harness.junit3.Junit3Driver;
import io.odfix.harness.junit4.Junit4Driver;
import io.odfix.harness.order.Driver;
import io.odfix.harness.platform.EngineChoice;
import io.odfix.harness.platform.PlatformDriver;
import java.util.ArrayList;
import java.util.List;

/**
 * Which frameworks the class path has, and which of them the project's build uses: the provider in
 * {@code odfix.provider}, or else the Platform if it is there, as Surefire chooses.
 */
final class Frameworks {
    private static final String PLATFORM = "org.junit.platform.launcher.Launcher";
    private static final String VINTAGE = "org.junit.vintage.engine.VintageTestEngine";
    private static final String JUNIT4 = "org.junit.runner.Request";
    private static final String JUNIT3 = "junit.framework.Test";

    private Frameworks() {}

    /**
     * The frameworks in the greeting: {@code junit 4.12}, {@code junit-platform 1.10.2}, {@code
     * junit-vintage}, {@code junit3 3.8.2}.
     */
    static List<String> found() {
        List<String> found = new ArrayList<String>();
        Class<?> platform = load(PLATFORM);
        if (platform != null) {
            found.add("junit-platform" + version(platform));
            if (load(VINTAGE) != null) {
                found.add("junit-vintage");
            }
        }
        Class<?> junit4 = load(JUNIT4);
        if (junit4 != null || load(JUNIT3) != null) {
            found.add((junit4 != null ? "junit" : "junit3") + junitVersion());
        }
        return found;
    }

    /** The drivers in the order in which they may claim a class. */
    static List<Driver> drivers() {
        List<Driver> drivers = new ArrayList<Driver>();
        String provider = System.getProperty("odfix.provider", "");
        boolean platform = platformIsUsed();
        boolean vintage = platform && load(VINTAGE) != null && EngineChoice.takes(EngineChoice.VINTAGE);
        boolean junit4 = provider.isEmpty() || provider.contains("junit4");
        if (load(JUNIT4) != null && (platform ? vintage : junit4)) {
            drivers.add(new Junit4Driver(vintage));
        }
        if (platform) {
            drivers.add(new PlatformDriver());
        } else if (drivers.isEmpty() && load(JUNIT3) != null) {
            drivers.add(new Junit3Driver());
        }
        return drivers;
    }

    /** True if the Platform is the build's provider. */
    static boolean platformIsUsed() {
        String provider = System.getProperty("odfix.provider", "");
        return provider.isEmpty() ? load(PLATFORM) != null : provider.contains("platform");
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
        }
    }

    private static String version(Class<?> c) {
        Package p = c.getPackage();
        String version = p == null ? null : p.getImplementationVersion();
        return version == null ? "" : " " + version;
    }

    /**
     * JUnit 3.8 and 4 have a class with their version. The manifests of their jars do not always
     * have it.
     */
    private static String junitVersion() {
        Class<?> version = load("junit.runner.Version");
        try {
            return version == null ? "" : " " + version.getMethod("id").invoke(null);
        } catch (ReflectiveOperationException e) {
            return "";
        }
    }
}
