package io.odfix.launch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/** What every record of a mojo execution begins with. */
final class Executions {
    private Executions() {
    }

    static Map<String, Object> describe(MojoExecutionEvent event, Fields fields) {
        MojoExecution execution = event.getExecution();
        MavenProject project = event.getProject();
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("plugin", execution.getArtifactId());
        record.put("version", execution.getVersion());
        record.put("goal", execution.getGoal());
        record.put("execution", execution.getExecutionId());
        record.put("module", project.getGroupId() + ":" + project.getArtifactId());
        record.put("basedir", project.getBasedir());
        record.put("testSourceRoots", project.getTestCompileSourceRoots());
        record.put("testOutput", project.getBuild().getTestOutputDirectory());
        record.put("mainOutput", project.getBuild().getOutputDirectory());
        record.put("parameters", fields.plain());
        return record;
    }
}
