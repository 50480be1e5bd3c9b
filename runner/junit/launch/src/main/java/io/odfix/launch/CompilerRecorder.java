package io.odfix.launch;

import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.project.MavenProject;

/**
 * Records how the compiler plugin is configured, and skips test classes that will not run.
 */
final class CompilerRecorder {
    private CompilerRecorder() {
    }

    static void record(Request request, MojoExecutionEvent event, Fields fields) throws IOException {
        MavenProject project = event.getProject();
        boolean wanted = request.wants(project.getBasedir());
        if (!wanted && event.getExecution().getGoal().equals("testCompile") && !SessionListener.testsAreUsed(project)) {
            fields.set("skip", true);
        }
        if (!wanted) {
            return;
        }
        Map<String, Object> record = fields.describe(event);
        record.put("processorPath", fields.call("resolveProcessorPathEntries"));
        record.put("classPath", classPath(event, project));
        String javac = fields.tool("javac");
        record.put("javaHome", javac == null ? System.getProperty("java.home") : new File(javac).getParentFile().getParent());
        Request.write(request.executionFolder().resolve("compile.json"), record);
    }

    private static List<String> classPath(MojoExecutionEvent event, MavenProject project) {
        try {
            return event.getExecution().getGoal().equals("testCompile")
                    ? project.getTestClasspathElements() : project.getCompileClasspathElements();
        } catch (DependencyResolutionRequiredException e) {
            return Collections.singletonList(project.getBuild().getOutputDirectory());
        }
    }
}
