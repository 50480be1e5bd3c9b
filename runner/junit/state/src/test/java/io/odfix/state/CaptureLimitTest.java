package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Static fields with more objects, in total, than are captured. */
public class CaptureLimitTest {
    private final List<Root> roots = new ArrayList<Root>();

    /** The object of a root. */
    private Object[] root(final String name, int objects) {
        final Object[] held = new Object[objects];
        for (int i = 0; i < objects; i++) {
            held[i] = new int[] {i};
        }
        Root root = new Root(name) {
            @Override
            boolean gone() {
                return false;
            }

            @Override
            Object held() {
                return held;
            }
        };
        root.number = roots.size();
        roots.add(root);
        return held;
    }

    /** A small root is captured although a large root before it used the whole limit. */
    @Test
    public void smallRootAfterALargeOne() {
        ReflectedMemory.install();
        root("A.large", 400);
        root("B.large", 400);
        Object[] small = root("C.small", 5);
        HeapWalker walker = new HeapWalker(new Identities());
        Snapshot before = walker.capture(roots, 300, null);
        ((int[]) small[3])[0] = 77;
        Snapshot after = walker.capture(roots, 300, before);
        List<Change> changes = Difference.of(before, after, roots);
        assertEquals("[C.small[3][0]: 3 → 77]", changes.toString());
        assertTrue(after.cut);
        assertEquals("A.large", after.beyondLimit);
        assertNull(after.large);
    }

    /** Elements of arrays cost little each. Those of a large array leave enough for later roots. */
    @Test
    public void smallRootAfterMillionsOfElements() {
        ReflectedMemory.install();
        Object[] large = root("A.large", 400);
        for (int i = 0; i < large.length; i++) {
            Object[] row = new Object[1024];
            for (int k = 0; k < row.length; k++) {
                row[k] = new byte[1];
            }
            large[i] = row;
        }
        Object[] small = root("C.small", 5);
        HeapWalker walker = new HeapWalker(new Identities());
        Snapshot before = walker.capture(roots, HeapWalker.MOST, null);
        ((int[]) small[3])[0] = 77;
        Snapshot after = walker.capture(roots, HeapWalker.MOST, before);
        assertEquals("[C.small[3][0]: 3 → 77]", Difference.of(before, after, roots).toString());
        assertEquals("A.large", after.large);
    }

    /** Classes that share a place of the table in turn. Each gets its own result. */
    @Test
    public void recentCacheKeepsClassesApart() {
        final int[] asked = new int[1];
        RecentCache<String> recent = new RecentCache<String>() {
            @Override
            String find(Class<?> c) {
                asked[0]++;
                return c.getName();
            }
        };
        List<Class<?>> classes = new ArrayList<Class<?>>();
        for (Class<?> c : new Class<?>[] {int.class, String.class, Root.class, Object.class}) {
            for (int dimensions = 1; dimensions <= 200; dimensions++) {
                classes.add(java.lang.reflect.Array.newInstance(c, new int[dimensions]).getClass());
            }
        }
        for (int round = 0; round < 2; round++) {
            for (Class<?> c : classes) {
                assertEquals(c.getName(), recent.of(c));
                assertEquals(c.getName(), recent.of(c));
            }
        }
        assertTrue(asked[0] + " of " + 4 * classes.size(), asked[0] <= 2 * classes.size());
        int before = asked[0];
        recent.forget();
        recent.of(classes.get(classes.size() - 1));
        assertEquals(before + 1, asked[0]);
    }
}
