package io.odfix.launch;

import java.util.ArrayList;
import java.util.List;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;

/**
 * Raises versions of Surefire and Failsafe whose test JVM cannot be recorded. The pom stays as it
 * is.
 */
final class OldPlugins {
    /** The first version whose test JVM can be recorded is 2.12. This is the last of its line. */
    static final String RAISED = "2.12.4";
    private static final int[] OLDEST = {2, 12};

    private OldPlugins() {}

    /** Raises them in one module. Returns the name and the version in the pom of each. */
    static List<String> raise(MavenProject project) {
        List<String> raised = new ArrayList<>();
        for (String name : new String[] {"maven-surefire-plugin", "maven-failsafe-plugin"}) {
            Plugin plugin = project.getPlugin("org.apache.maven.plugins:" + name);
            if (plugin == null || !isTooOld(plugin.getVersion())) {
                continue;
            }
            raised.add(name + " " + plugin.getVersion());
            plugin.setVersion(RAISED);
            for (Dependency dependency : plugin.getDependencies()) {
                if ("org.apache.maven.surefire".equals(dependency.getGroupId()) && isTooOld(dependency.getVersion())) {
                    dependency.setVersion(RAISED); // a provider goes with its plugin
                }
            }
        }
        return raised;
    }

    /** Compares the first two numbers of versions such as 2.9 and 2.4.3. */
    static boolean isTooOld(String version) {
        if (version == null) {
            return false;
        }
        String[] parts = version.split("[.-]");
        for (int i = 0; i < Math.min(parts.length, OLDEST.length); i++) {
            if (!parts[i].matches("[0-9]{1,9}")) {
                return false;
            }
            int difference = Integer.parseInt(parts[i]) - OLDEST[i];
            if (difference != 0) {
                return difference < 0;
            }
        }
        return false;
    }
}
