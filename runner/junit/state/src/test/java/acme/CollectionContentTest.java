package acme;

import static java.util.Arrays.asList;
import static java.util.Collections.emptyList;
import static java.util.Collections.singletonList;
import static org.junit.Assert.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import io.odfix.state.AgentFixture;
import org.junit.Test;

/** The JDK's collections are compared by their content. */
public class CollectionContentTest {
    enum Color {
        RED,
        GREEN
    }

    private static Map<Object, Object> filled(Map<Object, Object> map) {
        map.put("a", 1);
        map.put("b", 2);
        return map;
    }

    @Test
    public void mapsByTheirKeys() {
        List<Map<Object, Object>> maps = new ArrayList<Map<Object, Object>>();
        maps.add(new HashMap<Object, Object>());
        maps.add(new LinkedHashMap<Object, Object>());
        maps.add(new TreeMap<Object, Object>());
        maps.add(new Hashtable<Object, Object>());
        maps.add(new Properties());
        maps.add(new ConcurrentHashMap<Object, Object>());
        maps.add(new ConcurrentSkipListMap<Object, Object>());
        maps.add(new IdentityHashMap<Object, Object>());
        maps.add(Collections.synchronizedMap(new HashMap<Object, Object>()));
        for (Map<Object, Object> map : maps) {
            AgentFixture fixture = new AgentFixture(filled(map));
            String name = map.getClass().getName();
            map.put("c", 3);
            assertEquals(name, singletonList("R[\"c\"]: absent → 3"), fixture.changes());
            map.put("a", 10);
            assertEquals(name, singletonList("R[\"a\"]: 1 → 10"), fixture.changes());
            map.remove("b");
            assertEquals(name, singletonList("R[\"b\"]: 2 → absent"), fixture.changes());
            map.put("x", "passing");
            map.remove("x");
            assertEquals(name, emptyList(), fixture.changes());
        }
    }

    /** Tables grow, and turn chains into trees. Both are no changes. */
    @Test
    public void capacityDoesNotCount() {
        for (Map<Object, Object> map : asList(new HashMap<Object, Object>(), new ConcurrentHashMap<Object, Object>())) {
            for (int i = 0; i < 300; i++) {
                map.put(new Clash(i), i);
            }
            AgentFixture fixture = new AgentFixture(map);
            Set<Object> more = new HashSet<Object>();
            for (int i = 1000; i < 3000; i++) {
                map.put(i, i);
                more.add(i);
            }
            map.keySet().removeAll(more);
            assertEquals(emptyList(), fixture.changes());
            map.put(new Clash(7), "seven");
            assertEquals(singletonList("R[CollectionContentTest.Clash]: 7 → \"seven\""), fixture.changes());
        }
    }

    /** All keys in one bucket. */
    private static final class Clash implements Comparable<Clash> {
        private final int n;

        Clash(int n) {
            this.n = n;
        }

        @Override
        public int hashCode() {
            return 4;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Clash && ((Clash) o).n == n;
        }

        @Override
        public int compareTo(Clash o) {
            return Integer.compare(n, o.n);
        }
    }

    @Test
    public void setsByTheirElements() {
        List<Set<Object>> sets = new ArrayList<Set<Object>>();
        sets.add(new HashSet<Object>());
        sets.add(new LinkedHashSet<Object>());
        sets.add(new TreeSet<Object>());
        sets.add(new CopyOnWriteArraySet<Object>());
        sets.add(new ConcurrentSkipListSet<Object>());
        sets.add(ConcurrentHashMap.newKeySet());
        sets.add(Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>()));
        for (Set<Object> set : sets) {
            set.add("a");
            AgentFixture fixture = new AgentFixture(set);
            set.add("b");
            set.remove("a");
            assertEquals(set.getClass().getName(), asList("R[\"b\"]: absent → present", "R[\"a\"]: present → absent"), fixture.changes());
        }
    }

    @Test
    public void listsByPosition() {
        List<Collection<Object>> lists = new ArrayList<Collection<Object>>();
        lists.add(new ArrayList<Object>());
        lists.add(new LinkedList<Object>());
        lists.add(new Vector<Object>());
        lists.add(new Stack<Object>());
        lists.add(new ArrayDeque<Object>());
        lists.add(new PriorityQueue<Object>());
        lists.add(new CopyOnWriteArrayList<Object>());
        lists.add(new LinkedBlockingQueue<Object>());
        lists.add(new LinkedBlockingDeque<Object>());
        lists.add(new ArrayBlockingQueue<Object>(16));
        lists.add(new PriorityBlockingQueue<Object>());
        lists.add(new ConcurrentLinkedQueue<Object>());
        lists.add(Collections.synchronizedCollection(new ArrayList<Object>()));
        for (Collection<Object> list : lists) {
            list.add("a");
            AgentFixture fixture = new AgentFixture(list);
            for (int i = 0; i < 9; i++) {
                list.add("b");
            }
            for (int i = 0; i < 8; i++) {
                list.remove("b");
            }
            assertEquals(list.getClass().getName(), singletonList("R[1]: absent → \"b\""), fixture.changes());
            list.clear();
            assertEquals(asList("R[0]: \"a\" → absent", "R[1]: \"b\" → absent"), fixture.changes());
        }
    }

    /** The present elements of a queue count, and the remains of removed ones do not. */
    @Test
    public void queuesAfterRemovals() {
        List<Queue<Object>> queues = new ArrayList<Queue<Object>>();
        queues.add(new ArrayBlockingQueue<Object>(3));
        queues.add(new LinkedBlockingQueue<Object>());
        queues.add(new LinkedBlockingDeque<Object>());
        queues.add(new ConcurrentLinkedQueue<Object>());
        for (Queue<Object> queue : queues) {
            queue.add("a");
            queue.add("b");
            AgentFixture fixture = new AgentFixture(queue);
            for (int i = 0; i < 7; i++) {
                queue.add("passing");
                queue.add(queue.poll());
                queue.add(queue.poll());
                queue.poll();
            }
            assertEquals(queue.getClass().getName(), emptyList(), fixture.changes());
            queue.poll();
            assertEquals(queue.getClass().getName(), asList("R[0]: \"a\" → \"b\"", "R[1]: \"b\" → absent"), fixture.changes());
        }
    }

    @Test
    public void enumsAsKeys() {
        EnumMap<Color, Object> map = new EnumMap<Color, Object>(Color.class);
        EnumSet<Color> set = EnumSet.of(Color.RED);
        AgentFixture fixture = new AgentFixture(new Object[] {map, set});
        map.put(Color.GREEN, null);
        set.add(Color.GREEN);
        assertEquals(asList("R[0][GREEN]: absent → present", "R[1][GREEN]: absent → present"), fixture.changes());
    }

    /** A key that was replaced by an equal one is the same to the project. */
    @Test
    public void equalKeysOfTheProject() {
        Map<Object, Object> map = new HashMap<Object, Object>();
        map.put(new Clash(1), "one");
        AgentFixture fixture = new AgentFixture(map);
        map.clear();
        map.put(new Clash(1), "one");
        assertEquals(emptyList(), fixture.changes());
        map.clear();
        map.put(new Clash(2), "one");
        assertEquals(singletonList("R[CollectionContentTest.Clash].n: 1 → 2"), fixture.changes());
    }
}
