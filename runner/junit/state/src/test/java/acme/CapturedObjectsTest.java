package acme;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.odfix.state.AgentFixture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/**
 * A quick comparison detects whether anything has changed. All tests with an {@link AgentFixture}
 * check that it misses nothing.
 */
public class CapturedObjectsTest {
    private static final class All {
        int number = 1;
        final int[] few = {1, 2};
        final byte[] many = new byte[1000];
        final Object[] objects = {null, "a", new Object()};
        final StringBuilder text = new StringBuilder("a");
        final Date date = new Date(0);
        final Map<Object, Object> map = new HashMap<Object, Object>();
        final TreeMap<String, List<Object>> sorted = new TreeMap<String, List<Object>>();
        final ThreadLocal<Object> local = new ThreadLocal<Object>();
        final ThreadLocal<Object> inherited = new InheritableThreadLocal<Object>();
        Object other = this;

        All() {
            map.put("k", new ArrayList<Object>(Arrays.<Object>asList(1, 2)));
            map.put(Thread.State.NEW, new Object());
            map.put(new Object(), null);
            sorted.put("s", new ArrayList<Object>());
            local.set("mine");
            inherited.set(new int[1]);
        }
    }

    @Test
    public void nothingHasChanged() {
        AgentFixture fixture = new AgentFixture(new All());
        assertTrue(fixture.unchanged());
        assertTrue(fixture.unchanged());
    }

    @Test
    public void largeArraysAreComparedUpToTheLimit() {
        Object[] large = new Object[50 * AgentFixture.MOST_OF_ROOT];
        Arrays.fill(large, "a");
        AgentFixture fixture = new AgentFixture(large);
        assertTrue(fixture.cut());
        assertTrue(fixture.unchanged());
    }

    @Test
    public void anEqualTextIsNoChange() {
        All all = new All();
        all.other = new String("text");
        AgentFixture fixture = new AgentFixture(all);
        all.other = new String("text");
        assertTrue(fixture.unchanged());
    }

    @Test
    public void everyChangeIsDetected() {
        final All all = new All();
        Runnable[] changes = {
            () -> all.number++, () -> all.few[1]++, () -> all.many[999]++, () -> all.objects[0] = "", () -> all.objects[2] = new Object[1],
            () -> all.text.append('b'), () -> all.date.setTime(1), () -> all.map.put("k", null), () -> all.map.remove("k"),
            () -> all.map.put("new", null), () -> all.sorted.get("s").add(null), () -> all.sorted.clear(), () -> all.local.remove(), () -> ((int[]) all.inherited.get())[0]++,
            () -> all.inherited.remove(), () -> all.other = null,
        };
        AgentFixture fixture = new AgentFixture(all);
        for (int i = 0; i < changes.length; i++) {
            changes[i].run();
            assertFalse("change " + i, fixture.unchanged());
            assertFalse("change " + i, fixture.changes().isEmpty());
        }
    }
}
