package io.odfix.launch;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.plugin.MojoExecution;

/**
 * Receives every mojo, fully configured, just before it runs, and passes the ones that matter to
 * their recorders.
 */
@Named("odfix")
@Singleton
public final class MojoListener implements MojoExecutionListener {
    /** Plugins that check sources and do not affect tests. */
    private static final Set<String> STYLE = new HashSet<>(Arrays.asList(
            "maven-checkstyle-plugin", "maven-pmd-plugin", "spotbugs-maven-plugin", "findbugs-maven-plugin",
            "apache-rat-plugin", "animal-sniffer-maven-plugin", "license-maven-plugin", "maven-license-plugin",
            "spotless-maven-plugin", "fmt-maven-plugin", "formatter-maven-plugin", "sortpom-maven-plugin",
            "impsort-maven-plugin", "forbiddenapis", "maven-javadoc-plugin", "maven-source-plugin", "japicmp-maven-plugin"));

    @Override
    public void beforeMojoExecution(MojoExecutionEvent event) {
        Request request = Request.current(event.getSession().getUserProperties());
        if (request == null) {
            return;
        }
        try {
            dispatch(request, event);
        } catch (Exception | LinkageError e) {
            System.err.println("odfix: cannot record " + event.getExecution() + ": " + e);
        }
    }

    private static void dispatch(Request request, MojoExecutionEvent event) throws Exception {
        MojoExecution execution = event.getExecution();
        Fields fields = new Fields(event.getMojo());
        String plugin = execution.getArtifactId();
        String goal = execution.getGoal();
        if (isTestLauncher(plugin, goal)) {
            if (request.wants(event.getProject().getBasedir())) {
                new TestRecorder(request, event, fields).record();
            } else {
                fields.set("skipTests", true);
            }
        } else if (plugin.equals("maven-failsafe-plugin") && goal.equals("verify")) {
            fields.set("skipTests", true);
        } else if (plugin.equals("maven-compiler-plugin")) {
            CompilerRecorder.record(request, event, fields);
        } else if (STYLE.contains(plugin)) {
            fields.set("skip", true);
        }
    }

    private static boolean isTestLauncher(String plugin, String goal) {
        return plugin.equals("maven-surefire-plugin") && goal.equals("test")
                || plugin.equals("maven-failsafe-plugin") && goal.equals("integration-test");
    }

    @Override
    public void afterMojoExecutionSuccess(MojoExecutionEvent event) {
        // The recorder has already written what the fork received.
    }

    @Override
    public void afterExecutionFailure(MojoExecutionEvent event) {
        // Maven reports the failure; odfix reads its log.
    }
}
