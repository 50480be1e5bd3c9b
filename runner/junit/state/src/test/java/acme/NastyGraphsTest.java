package acme;

import static java.util.Arrays.asList;
import static java.util.Collections.emptyList;
import static java.util.Collections.singletonList;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import io.odfix.state.AgentFixture;
import org.junit.Test;

/** Graphs during which a walk could crash, hang, or change something. */
public class NastyGraphsTest {
    private static final class Link {
        private Link next;
        private int value;
    }

    @Test(timeout = 60000)
    public void cycles() {
        Link a = new Link();
        a.next = new Link();
        a.next.next = a;
        AgentFixture fixture = new AgentFixture(a);
        a.next.value = 3;
        assertEquals(singletonList("R.next.value: 0 → 3"), fixture.changes());
        a.next.next = a.next;
        assertEquals(singletonList("R.next.next: NastyGraphsTest.Link → another NastyGraphsTest.Link"), fixture.changes());
    }

    /**
     * A list deeper than any stack, and beyond the limits. The elements after the limit are not
     * compared, and the capture notes that.
     */
    @Test(timeout = 120000)
    public void aListOfAMillion() {
        Link head = new Link();
        Link at = head;
        for (int i = 0; i < 1000000; i++) {
            at.next = new Link();
            at = at.next;
        }
        AgentFixture fixture = new AgentFixture(head);
        assertTrue(fixture.cut());
        assertEquals(AgentFixture.MOST_OF_ROOT + 1, fixture.objects());
        at.value = 1; // the last element
        assertEquals(emptyList(), fixture.changes());
        at = head;
        for (int i = 0; i < 40000; i++) {
            at = at.next;
        }
        at.value = 2;
        List<String> found = fixture.changes();
        assertEquals(1, found.size());
        assertTrue(found.get(0), found.get(0).startsWith("R.next.next") && found.get(0).endsWith(".value: 0 → 2") && found.get(0).length() < 500);
    }

    /** Keys and elements whose methods have side effects. */
    private static final class Hostile {
        private int asked;
        private static int all;

        @Override
        public int hashCode() {
            all++;
            return asked++;
        }

        @Override
        public boolean equals(Object o) {
            throw new IllegalStateException("asked");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("asked");
        }
    }

    private static final class HostileMap extends HashMap<Object, Object> {
        private final Object extra = new int[1];

        @Override
        public java.util.Set<Map.Entry<Object, Object>> entrySet() {
            throw new IllegalStateException("asked");
        }

        @Override
        public int size() {
            throw new IllegalStateException("asked");
        }
    }

    @Test(timeout = 60000)
    public void noMethodOfTheProjectIsCalled() {
        HostileMap map = new HostileMap();
        Hostile key = new Hostile();
        map.put(key, "held");
        int before = Hostile.all;
        AgentFixture fixture = new AgentFixture(new Object[] {map, key});
        assertEquals(emptyList(), fixture.changes());
        assertEquals(before, Hostile.all);
        ((int[]) map.extra)[0] = 5;
        key.asked = 77;
        assertEquals(asList("R[1].asked: 1 → 77", "R[0].extra[0]: 0 → 5"), fixture.changes());
    }

    interface Greeter {
        String greet();
    }

    private static final class Handler implements InvocationHandler {
        private String word = "hello";

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) {
            throw new IllegalStateException("asked");
        }
    }

    @Test
    public void proxiesByTheirHandlers() {
        Handler handler = new Handler();
        Object proxy = Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Greeter.class}, handler);
        AgentFixture fixture = new AgentFixture(proxy);
        handler.word = "bye";
        assertEquals(singletonList("R.h.word: \"hello\" → \"bye\""), fixture.changes());
    }

    /**
     * Since Java 15 their classes are hidden, and their fields have no offset in sun.misc.Unsafe.
     */
    @Test
    public void lambdasByWhatTheyCapture() {
        Link captured = new Link();
        Greeter lambda = () -> "value " + captured.value;
        AgentFixture fixture = new AgentFixture(lambda);
        captured.value = 1;
        List<String> found = fixture.changes();
        assertEquals(1, found.size());
        assertTrue(found.get(0), found.get(0).endsWith(".value: 0 → 1"));
        fixture.held = (Runnable) () -> captured.value++;
        assertEquals(singletonList("R: lambda of NastyGraphsTest → another lambda of NastyGraphsTest"), fixture.changes());
    }

    enum Level {
        LOW,
        HIGH;

        private int uses;
    }

    @Test
    public void stateOfEnums() {
        AgentFixture fixture = new AgentFixture(Level.LOW);
        Level.LOW.uses++;
        assertEquals(singletonList("R.uses: 0 → 1"), fixture.changes());
        fixture.held = Level.HIGH;
        assertEquals(singletonList("R: LOW → HIGH"), fixture.changes());
    }

    @Test(timeout = 60000)
    public void hugeArrays() {
        int[] numbers = new int[20000000];
        Object[] objects = new Object[3000000];
        java.util.Arrays.fill(objects, "x");
        AgentFixture fixture = new AgentFixture(new Object[] {numbers, objects});
        assertTrue(fixture.cut());
        numbers[5] = 1;
        objects[7] = "y";
        assertEquals(asList("R[0][…]: numbers → other numbers", "R[1][7]: \"x\" → \"y\""), fixture.changes());
        AgentFixture small = new AgentFixture(new long[] {1, 2, 3});
        ((long[]) small.held)[2] = 9;
        assertEquals(singletonList("R[2]: 3 → 9"), small.changes());
        small.held = new long[2];
        assertEquals(asList("R.length: 3 → 2", "R[0]: 1 → 0", "R[1]: 2 → 0"), small.changes());
    }

    @Test
    public void weakAndSoftReferencesAreNotFollowed() {
        Link link = new Link();
        AgentFixture fixture = new AgentFixture(new Object[] {new WeakReference<Link>(link), new SoftReference<Link>(link)});
        link.value = 4;
        assertEquals(emptyList(), fixture.changes());
    }

    @Test
    public void valuesAreReported() {
        Object[] all = {"a\n\"b\"", 1, 2L, 'c', true, 1.5, new StringBuilder("x"), null, new AtomicInteger(3), Level.LOW, Link.class};
        AgentFixture fixture = new AgentFixture(all.clone());
        Object[] now = (Object[]) fixture.held;
        Object[] other = {"", 2, 3L, '\t', false, 2.5, new StringBuilder("y"), new Link(), new AtomicInteger(4), null, String.class};
        System.arraycopy(other, 0, now, 0, now.length);
        assertEquals(asList(
                "R[0]: \"a\\n\\\"b\\\"\" → \"\"", "R[1]: 1 → 2", "R[2]: 2 → 3", "R[3]: 'c' → '\\t'", "R[4]: true → false", "R[5]: 1.5 → 2.5",
                "R[6]: \"x\" → \"y\"", "R[7]: null → NastyGraphsTest.Link", "R[9]: LOW → null", "R[10]: NastyGraphsTest.Link → String",
                "R[8].value: 3 → 4"), fixture.changes());
    }

    /** An object's identity does not matter, only its content and the objects that share it. */
    @Test
    public void identityDoesNotMatter() {
        Link a = new Link();
        AgentFixture fixture = new AgentFixture(new Object[] {a, a});
        Link b = new Link();
        fixture.held = new Object[] {b, b};
        assertEquals(emptyList(), fixture.changes());
        fixture.held = new Object[] {b, new Link()};
        assertEquals(singletonList("R[1]: NastyGraphsTest.Link → another NastyGraphsTest.Link"), fixture.changes());
    }

    @Test
    public void manyChangesAreCounted() {
        List<Object> list = new ArrayList<Object>();
        AgentFixture fixture = new AgentFixture(list);
        for (int i = 0; i < 100; i++) {
            list.add(i);
        }
        List<String> found = fixture.changes();
        assertEquals(21, found.size());
        assertEquals("R …: … → 80 more changes below it", found.get(20));
    }

    /** Threads of the project change collections while they are read. */
    @Test(timeout = 120000)
    public void collectionsChangeDuringTheWalk() throws Exception {
        Map<Object, Object> map = new HashMap<Object, Object>();
        List<Object> list = new ArrayList<Object>();
        AtomicBoolean stop = new AtomicBoolean();
        Thread busy = new Thread(() -> {
            for (int i = 0; !stop.get(); i++) {
                map.put(i % 5000, new Link());
                map.remove((i + 2500) % 5000);
                list.add(i);
                if (i % 1000 == 0) {
                    list.clear();
                    map.clear();
                }
            }
        });
        busy.setDaemon(true);
        busy.start();
        AgentFixture fixture = new AgentFixture(new Object[] {map, list});
        fixture.moving = true;
        for (int i = 0; i < 200; i++) {
            fixture.changes();
        }
        stop.set(true);
        busy.join();
        fixture.changes();
        assertEquals(emptyList(), fixture.changes());
        assertFalse(fixture.cut());
    }
}
