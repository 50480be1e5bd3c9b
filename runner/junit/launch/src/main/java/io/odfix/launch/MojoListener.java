package io.odfix.launch;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;

/**
 * Receives every mojo, fully configured, just before it runs, and passes the ones that matter to
 * their recorders.
 */
@Named("odfix")
@Singleton
public final class MojoListener implements MojoExecutionListener {
    /**
     * Plugins that check sources or dependencies, or set up a checkout for commits. No test needs
     * them.
     */
    private static final Set<String> STYLE = new HashSet<>(Arrays.asList(
            "maven-checkstyle-plugin", "maven-pmd-plugin", "spotbugs-maven-plugin", "findbugs-maven-plugin",
            "apache-rat-plugin", "animal-sniffer-maven-plugin", "license-maven-plugin", "maven-license-plugin",
            "spotless-maven-plugin", "fmt-maven-plugin", "formatter-maven-plugin", "sortpom-maven-plugin",
            "impsort-maven-plugin", "forbiddenapis", "maven-javadoc-plugin", "japicmp-maven-plugin",
            "spring-javaformat-maven-plugin", "modernizer-maven-plugin", "revapi-maven-plugin", "clirr-maven-plugin",
            "tidy-maven-plugin", "editorconfig-maven-plugin", "detekt-maven-plugin", "ktlint-maven-plugin",
            "scalastyle-maven-plugin", "qulice-maven-plugin", "arch-unit-maven-plugin", "duplicate-finder-maven-plugin",
            "dependency-check-maven", "ossindex-maven-plugin", "git-code-format-maven-plugin", "git-build-hook-maven-plugin"));

    /** The fields with which these plugins are skipped; each goal has one. */
    private static final String[] STYLE_SKIPS = {"skip", "skipFormatting", "skipCheckLicense", "skipUpdateLicense"};

    @Override
    public void beforeMojoExecution(MojoExecutionEvent event) throws MojoExecutionException {
        Request request = Request.current(event.getSession().getUserProperties());
        if (request != null) {
            prepare(request, event);
        }
    }

    /** Prepares a mojo for the record. Fails if it would run tests that are not recorded. */
    static void prepare(Request request, MojoExecutionEvent event) throws MojoExecutionException {
        try {
            dispatch(request, event);
        } catch (Exception | LinkageError e) {
            if (isTestLauncher(event.getExecution())) {
                // Otherwise all tests would run now, and nothing would be known of how.
                throw new MojoExecutionException("odfix cannot record it, so it does not run: " + e, e);
            }
            System.err.println("odfix: cannot record " + event.getExecution() + ": " + e);
        }
    }

    private static void dispatch(Request request, MojoExecutionEvent event) throws Exception {
        MojoExecution execution = event.getExecution();
        Fields fields = new Fields(Wrapper.unwrap(event.getMojo(), execution.getMojoDescriptor().getImplementation()));
        String plugin = execution.getArtifactId();
        String goal = execution.getGoal();
        if (isTestLauncher(execution)) {
            TestRecorder recorder = new TestRecorder(request, event, fields);
            recorder.refuseIfHidden();
            if (request.wants(event.getProject().getBasedir())) {
                recorder.record();
            } else {
                fields.set("skipTests", true);
            }
        } else if (plugin.equals("maven-failsafe-plugin") && goal.equals("verify")) {
            fields.set("skipTests", true);
        } else if (plugin.equals("maven-compiler-plugin")) {
            CompilerRecorder.record(request, event, fields);
        } else if (STYLE.contains(plugin) && request.leavesOut(plugin)) {
            for (String skip : STYLE_SKIPS) {
                fields.set(skip, true);
            }
        }
    }

    private static boolean isTestLauncher(MojoExecution execution) {
        String plugin = execution.getArtifactId();
        String goal = execution.getGoal();
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
