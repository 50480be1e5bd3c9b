package io.odfix.harness.platform;

import java.util.HashSet;
import java.util.Set;

/** Which engines of the JUnit Platform the build uses. Loads no class of the Platform. */
public final class EngineChoice {
    public static final String VINTAGE = "junit-vintage";

    private EngineChoice() {}

    /** True unless the build excludes the engine, or includes only other engines. */
    public static boolean takes(String engine) {
        Set<String> included = names("odfix.includeEngines");
        return (included.isEmpty() || included.contains(engine)) && !names("odfix.excludeEngines").contains(engine);
    }

    private static Set<String> names(String property) {
        Set<String> names = new HashSet<String>();
        for (String name : System.getProperty(property, "").split(",")) {
            if (!name.trim().isEmpty()) {
                names.add(name.trim());
            }
        }
        return names;
    }
}
