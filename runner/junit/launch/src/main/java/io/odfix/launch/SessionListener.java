package io.odfix.launch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Plugin;
import org.apache.maven.model.PluginExecution;
import org.apache.maven.project.MavenProject;

/** Records which modules the build has, and raises old test plugins. */
@Named("odfix")
@Singleton
public final class SessionListener extends AbstractMavenLifecycleParticipant {
    private static final Set<String> TEST_JARS = ConcurrentHashMap.newKeySet();

    @Override
    public void afterProjectsRead(MavenSession session) {
        Request request = Request.current(session.getUserProperties());
        if (request == null) {
            return;
        }
        List<Object> modules = new ArrayList<>();
        for (MavenProject project : session.getProjects()) {
            Map<String, Object> module = describe(project);
            module.put("raised", OldPlugins.raise(project));
            modules.add(module);
            noteTestJars(project);
        }
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("maven", session.getSystemProperties().getProperty("maven.version"));
        record.put("modules", modules);
        try {
            Request.write(request.folder.resolve("session.json"), record);
        } catch (IOException e) {
            System.err.println("odfix: cannot record the session: " + e);
        }
    }

    /** Whether another module of the build depends on this one's test classes. */
    static boolean testsAreUsed(MavenProject project) {
        return TEST_JARS.contains(project.getGroupId() + ":" + project.getArtifactId());
    }

    private static void noteTestJars(MavenProject project) {
        for (Dependency dependency : project.getDependencies()) {
            if ("test-jar".equals(dependency.getType()) || dependency.getClassifier() != null) {
                TEST_JARS.add(dependency.getGroupId() + ":" + dependency.getArtifactId());
            }
        }
    }

    private static Map<String, Object> describe(MavenProject project) {
        Map<String, Object> module = new LinkedHashMap<>();
        module.put("basedir", project.getBasedir());
        module.put("failsafe", hasFailsafe(project));
        return module;
    }

    private static boolean hasFailsafe(MavenProject project) {
        Plugin plugin = project.getPlugin("org.apache.maven.plugins:maven-failsafe-plugin");
        if (plugin == null) {
            return false;
        }
        for (PluginExecution execution : plugin.getExecutions()) {
            if (execution.getGoals().contains("integration-test")) {
                return true;
            }
        }
        return false;
    }
}
