package io.odfix.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The class paths that projects of different ages have. */
final class Jars {
    private Jars() {}

    static List<String> junit3() {
        return Collections.singletonList("junit-3.8.2");
    }

    static List<String> junit4(String version) {
        return Arrays.asList("junit-" + version, "hamcrest-core-1.3");
    }

    static List<String> powerMock() {
        List<String> jars = new ArrayList<>(junit4("4.13.2"));
        Collections.addAll(jars, "powermock-module-junit4-2.0.9", "powermock-module-junit4-common-2.0.9",
                "powermock-core-2.0.9", "powermock-reflect-2.0.9", "javassist-3.27.0-GA", "objenesis-3.0.1");
        return jars;
    }

    static List<String> jupiter(String platform, String jupiter) {
        List<String> jars = new ArrayList<>(Arrays.asList(
                "junit-jupiter-api-" + jupiter, "junit-jupiter-params-" + jupiter, "junit-jupiter-engine-" + jupiter,
                "junit-platform-commons-" + platform, "junit-platform-engine-" + platform,
                "junit-platform-launcher-" + platform, "opentest4j-1.3.0", "apiguardian-api-1.1.2"));
        if (jupiter.startsWith("6")) {
            jars.add("jspecify-1.0.0");
        }
        return jars;
    }

    /** With Vintage beside Jupiter, and the Platform's suites. */
    static List<String> vintage() {
        List<String> jars = jupiter("1.10.2", "5.10.2");
        Collections.addAll(jars, "junit-vintage-engine-5.10.2", "junit-4.13.2", "hamcrest-core-1.3",
                "junit-platform-suite-api-1.10.2", "junit-platform-suite-commons-1.10.2",
                "junit-platform-suite-engine-1.10.2");
        return jars;
    }
}
