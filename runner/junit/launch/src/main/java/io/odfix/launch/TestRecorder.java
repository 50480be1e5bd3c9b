package io.odfix.launch;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.maven.execution.MojoExecutionEvent;

/**
 * Records one execution of Surefire or Failsafe. It makes the execution start exactly one fork
 * whose java is a recorder, whatever the configuration is.
 */
final class TestRecorder {
    private final Request request;
    private final MojoExecutionEvent event;
    private final Fields fields;

    TestRecorder(Request request, MojoExecutionEvent event, Fields fields) {
        this.request = request;
        this.event = event;
        this.fields = fields;
    }

    /**
     * Refuses the execution if an extension has wrapped the mojo so that its fields are out of
     * reach. Every version of the plugins has a field "jvm".
     */
    void refuseIfHidden() throws IOException {
        if (fields.has("jvm")) {
            return;
        }
        String origin = Wrapper.origin(event.getMojo());
        Map<String, Object> record = fields.describe(event);
        record.put("hiddenBy", origin);
        Request.write(request.executionFolder().resolve("test.json"), record);
        throw new IllegalStateException(origin + " hides the settings of " + event.getExecution().getArtifactId());
    }

    void record() throws IOException {
        Path folder = request.executionFolder();
        Map<String, Object> record = fields.describe(event);
        String chosen = chosenJava();
        String java = chosen != null ? chosen : System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        record.put("java", java);
        record.put("javaChosen", chosen != null);
        record.put("mavenDir", System.getProperty("user.dir"));
        Request.write(folder.resolve("test.json"), record);
        startOneFork();
        fields.set("jvm", FakeJdk.create(folder, java, event.getExecution().getVersion()).toString());
    }

    /** One fork for all classes, without an error that no test ran. */
    private void startOneFork() {
        if (inProcess()) {
            // Surefire ignores these fields if it does not fork.
            fields.set("argLine", null);
            fields.set("environmentVariables", new HashMap<String, String>());
        }
        fields.set("forkCount", "1");
        fields.set("reuseForks", true);
        fields.set("forkMode", "once");
        fields.set("forkNode", null);
        fields.set("debugForkedProcess", null);
        fields.set("rerunFailingTestsCount", 0);
        fields.set("testFailureIgnore", true);
        fields.set("failIfNoTests", false);
        fields.set("failIfNoSpecifiedTests", false);
    }

    private boolean inProcess() {
        return "0".equals(String.valueOf(fields.get("forkCount")).trim()) || "never".equals(fields.get("forkMode"));
    }

    /**
     * The java that the mojo is configured to start. Null if it uses the one that runs Maven.
     */
    private String chosenJava() {
        if (inProcess()) {
            return null;
        }
        Object jvm = fields.get("jvm");
        return jvm != null && !jvm.toString().isEmpty() ? jvm.toString() : fields.tool("java");
    }
}
