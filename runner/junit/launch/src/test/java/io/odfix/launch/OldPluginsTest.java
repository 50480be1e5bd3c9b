package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Collections;
import org.apache.maven.model.Build;
import org.apache.maven.model.Dependency;
import org.apache.maven.model.Model;
import org.apache.maven.model.Plugin;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;

class OldPluginsTest {
    private static MavenProject project(Plugin... plugins) {
        Model model = new Model();
        model.setBuild(new Build());
        model.getBuild().setPlugins(Arrays.asList(plugins));
        return new MavenProject(model);
    }

    private static Plugin plugin(String name, String version) {
        Plugin plugin = new Plugin();
        plugin.setArtifactId(name);
        plugin.setVersion(version);
        return plugin;
    }

    @Test
    void raisesOldTestPluginsWithTheirProviders() {
        Plugin surefire = plugin("maven-surefire-plugin", "2.7");
        Dependency provider = new Dependency();
        provider.setGroupId("org.apache.maven.surefire");
        provider.setArtifactId("surefire-junit47");
        provider.setVersion("2.7");
        Dependency other = provider.clone();
        other.setGroupId("org.example");
        surefire.setDependencies(Arrays.asList(provider, other));
        Plugin failsafe = plugin("maven-failsafe-plugin", "3.2.5");
        Plugin jar = plugin("maven-jar-plugin", "2.2");

        assertEquals(Collections.singletonList("maven-surefire-plugin 2.7"), OldPlugins.raise(project(surefire, failsafe, jar)));
        assertEquals(OldPlugins.RAISED, surefire.getVersion());
        assertEquals(OldPlugins.RAISED, provider.getVersion());
        assertEquals("2.7", other.getVersion());
        assertEquals("3.2.5", failsafe.getVersion());
        assertEquals("2.2", jar.getVersion());
    }

    @Test
    void leavesModulesWithoutTestPluginsAlone() {
        assertTrue(OldPlugins.raise(project()).isEmpty());
    }

    @Test
    void comparesVersions() {
        for (String version : new String[] {"2.4.3", "2.5", "2.11", "2.3-beta-1", "1.0"}) {
            assertTrue(OldPlugins.isTooOld(version), version);
        }
        for (String version : new String[] {"2.12", "2.12.4", "2.22.2", "3.0.0-M5", "3", "", "x.y", "99999999999.1", null}) {
            assertFalse(OldPlugins.isTooOld(version), version);
        }
    }
}
