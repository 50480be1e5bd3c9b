package state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.Test;

/** One test spoils everything, another one wants it as it was. */
public class RestoreTest {
    private static final class Node {
        Node next;
        final int[] values = {1, 2, 3};
    }

    /** Everything that a project might keep, in each of its shapes. */
    private static final class Everything {
        final Map<String, String> concurrent = new ConcurrentHashMap<>();
        final Map<String, List<String>> sorted = new TreeMap<>();
        final Map<String, String> linked = new LinkedHashMap<>();
        final ArrayDeque<String> queue = new ArrayDeque<>(Arrays.asList("a", "b"));
        final StringBuilder text = new StringBuilder("text");
        final Date date = new Date(0);
        final BitSet bits = new BitSet();
        final AtomicInteger count = new AtomicInteger(7);
        final Node node = new Node();
        boolean flag;
        byte small = 1;
        char letter = 'a';
        short number = 2;
        float real = 1.5f;
        long large = 1L << 40;

        Everything() {
            node.next = node;
            for (int i = 0; i < 100; i++) {
                concurrent.put("k" + i, "v" + i);
            }
            sorted.put("kept", new ArrayList<>(Arrays.asList("one")));
            linked.put("first", "1");
            linked.put("second", "2");
        }

        void spoil() {
            concurrent.clear();
            concurrent.put("new", "new");
            sorted.get("kept").add("two");
            sorted.put("added", new ArrayList<>());
            linked.remove("first");
            linked.put("first", "again");
            queue.poll();
            queue.add("c");
            text.setLength(0);
            date.setTime(1);
            bits.set(100);
            count.set(0);
            node.next = null;
            node.values[1] = 0;
            flag = true;
            small = 0;
            letter = 'b';
            number = 0;
            real = 0;
            large = 0;
        }

        void check() {
            assertEquals(100, concurrent.size());
            assertEquals("v42", concurrent.get("k42"));
            assertEquals(Collections.singleton("kept"), sorted.keySet());
            assertEquals(Collections.singletonList("one"), sorted.get("kept"));
            assertEquals("[first=1, second=2]", linked.entrySet().toString());
            assertEquals("[a, b]", queue.toString());
            assertEquals("text", text.toString());
            assertEquals(0, date.getTime());
            assertTrue(bits.isEmpty());
            assertEquals(7, count.get());
            assertSame(node, node.next);
            assertEquals("[1, 2, 3]", Arrays.toString(node.values));
            assertEquals("false 1 a 2 1.5 " + (1L << 40), flag + " " + small + " " + letter + " " + number + " " + real + " " + large);
        }
    }

    static final Everything KEPT = new Everything();
    static Everything replaced = new Everything();
    static int counter = 3;
    private static final PrintStream OUT = System.out;

    @Test
    public void spoils() {
        KEPT.spoil();
        replaced = null;
        counter = 4;
        Shapes.REGISTRY.put("spoilt", new ArrayList<>());
        Shapes.Single.INSTANCE.state = 9;
        Shapes.Constants.SHARED.add("spoilt");
        ((int[]) Shapes.array[0])[0] = 99;
        Shapes.LOCAL.get().add("spoilt");
        System.setProperty("state.rewound", "spoilt");
        Locale.setDefault(Locale.CHINA);
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
    }

    @Test
    public void finds() {
        KEPT.check();
        replaced.check();
        assertEquals(3, counter);
        assertNull(Shapes.REGISTRY.get("spoilt"));
        assertEquals(0, Shapes.Single.INSTANCE.state);
        assertTrue(Shapes.Constants.SHARED.isEmpty());
        assertEquals(1, ((int[]) Shapes.array[0])[0]);
        assertTrue(Shapes.LOCAL.get().isEmpty());
        assertNull(System.getProperty("state.rewound"));
        assertTrue(!Locale.CHINA.equals(Locale.getDefault()));
        assertTrue(!Locale.CHINA.equals(Locale.getDefault(Locale.Category.FORMAT)));
        assertSame(OUT, System.out);
    }

    @Test
    public void counts() {
        assertEquals(3, counter);
    }

    /** A class loader that all tests share, as a framework for plug-ins has one. */
    private static final ClassLoader PLUGINS = new StateTest.Closed();

    private static Object plugin(String name, String method) throws Exception {
        java.lang.reflect.Method found = Class.forName(name, true, PLUGINS).getMethod(method);
        found.setAccessible(true);
        return found.invoke(null);
    }

    @Test
    public void spoilsPlugins() throws Exception {
        plugin("state.Lonely", "count");
        plugin("state.LonelyNames", "add");
    }

    @Test
    public void findsPlugins() throws Exception {
        assertEquals(1, plugin("state.Lonely", "count"));
        assertEquals("first[first]", plugin("state.LonelyNames", "names"));
    }
}
