package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.model.Build;
import org.apache.maven.model.Model;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.Mojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.descriptor.MojoDescriptor;
import org.apache.maven.plugin.descriptor.PluginDescriptor;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MojoListenerTest {
    static class Surefire extends AbstractMojo {
        private String jvm;
        private String argLine = "-Xmx1g";

        @Override
        public void execute() {
        }
    }

    static class Formatter extends AbstractMojo {
        private boolean skipFormatting;

        @Override
        public void execute() {
        }
    }

    /** As an extension would put in the mojo's place. */
    static class Wrapping extends AbstractMojo {
        private final Mojo real;

        Wrapping(Mojo real) {
            this.real = real;
        }

        @Override
        public void execute() {
        }
    }

    @TempDir
    Path folder;

    private MojoExecutionEvent event(Mojo mojo, Class<?> real, String name, String goal) {
        Model model = new Model();
        model.setBuild(new Build());
        MavenProject project = new MavenProject(model);
        project.setFile(new File(folder.toFile(), "pom.xml"));
        PluginDescriptor plugin = new PluginDescriptor();
        plugin.setArtifactId(name);
        plugin.setVersion("3.2.5");
        MojoDescriptor descriptor = new MojoDescriptor();
        descriptor.setPluginDescriptor(plugin);
        descriptor.setGoal(goal);
        descriptor.setImplementation(real.getName());
        MojoExecution execution = new MojoExecution(descriptor);
        return new MojoExecutionEvent(null, project, execution, mojo);
    }

    private void prepare(MojoExecutionEvent event) throws Exception {
        Files.write(folder.resolve("request.properties"), new byte[0]);
        Request request = Request.read(folder);
        MojoListener.prepare(request, event);
    }

    /** The records that were written. */
    private List<String> records() throws Exception {
        List<String> out = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(f -> f.endsWith("test.json")).collect(Collectors.toList())) {
                out.add(String.join("\n", Files.readAllLines(file)));
            }
        }
        return out;
    }

    @Test
    void recordsATestMojoThatAnExtensionHasWrapped() throws Exception {
        Surefire surefire = new Surefire();
        prepare(event(new Wrapping(surefire), Surefire.class, "maven-surefire-plugin", "test"));
        assertTrue(surefire.jvm.endsWith("/bin/java") && surefire.jvm.startsWith(folder.toString()), surefire.jvm);
        assertTrue(records().get(0).contains("\"argLine\":\"-Xmx1g\""), records().toString());
        assertTrue(records().get(0).contains("\"wrappedBy\":\"" + Wrapping.class.getName() + "\""), records().toString());
    }

    @Test
    void refusesATestMojoWhoseSettingsAreHidden() throws Exception {
        MojoExecutionEvent event = event(new Wrapping(null), Surefire.class, "maven-surefire-plugin", "test");
        MojoExecutionException e = assertThrows(MojoExecutionException.class, () -> prepare(event));
        String origin = Wrapping.class.getName();
        assertTrue(e.getMessage().contains(origin + " hides the settings of maven-surefire-plugin"), e.getMessage());
        assertEquals(1, records().size());
        assertTrue(records().get(0).contains("\"hiddenBy\":\"" + origin + "\""), records().toString());
    }

    @Test
    void toleratesOtherMojosThatAreHidden() throws Exception {
        prepare(event(new Wrapping(null), Formatter.class, "formatter-maven-plugin", "validate"));
        assertEquals(Collections.emptyList(), records());
    }

    @Test
    void skipsChecksOfSourcesWhateverTheirFieldIs() throws Exception {
        Formatter formatter = new Formatter();
        prepare(event(new Wrapping(formatter), Formatter.class, "formatter-maven-plugin", "validate"));
        assertTrue(formatter.skipFormatting);
    }
}
