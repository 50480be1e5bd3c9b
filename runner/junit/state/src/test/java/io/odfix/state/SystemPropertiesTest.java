package io.odfix.state;

import static java.util.Collections.emptyList;
import static org.junit.Assert.assertEquals;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.After;
import org.junit.Test;

/** The system properties are state of their own, also where an object of a library leads to them. */
public class SystemPropertiesTest {
    private static final String KEY = "io.odfix.state.left";

    /** As libraries for configuration have it. */
    private final Map<String, Object> lookups = new HashMap<String, Object>();

    @After
    public void clear() {
        System.clearProperty(KEY);
    }

    @Test
    public void aFieldThatLeadsToThem() {
        ReflectedMemory.install();
        lookups.put("sys", System.getProperties());
        lookups.put("count", new int[] {1});
        AgentFixture fixture = new AgentFixture(lookups);
        Graph graph = new Graph(100);
        long before = graph.of(lookups);
        System.setProperty(KEY, "yes");
        assertEquals(emptyList(), fixture.changes());
        assertEquals(before, graph.of(lookups));
    }

    /** The root of the system properties holds them themselves. */
    @Test
    public void theirOwnRoot() {
        AgentFixture fixture = new AgentFixture(System.getProperties());
        System.setProperty(KEY, "yes");
        assertEquals(1, fixture.changes().size());
    }

    @Test
    public void theyAreNotSavedWithAField() {
        ReflectedMemory.install();
        SavedObjects saved = new SavedObjects();
        saved.keep(System.getProperties());
        System.setProperty(KEY, "yes");
        saved.restore();
        assertEquals("yes", System.getProperty(KEY));
    }

    @Test
    public void otherProperties() {
        Properties own = new Properties();
        lookups.put("own", own);
        AgentFixture fixture = new AgentFixture(lookups);
        own.setProperty(KEY, "yes");
        assertEquals(1, fixture.changes().size());
    }
}
