package state;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** Writes below static fields: what is to be named of a line stands behind it. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class LinesTest {
    static class Item {
        int number;
        long big;
        double real;
        float small;
        boolean flag;
        char letter;
        String text;
        Item next;
    }

    /** A collection with state of its own. */
    static class Named extends ArrayList<String> {
        String name;

        void call(String text) {
            name = text; // .NAMED.name
            super.add(text); // .NAMED[0]
        }
    }

    static class Key {}

    static final Key KEY = new Key();
    static final Item ITEM = new Item();
    static final Named NAMED = new Named();
    static final Map<String, Object> MAP = new HashMap<>();
    static final Map<Key, Object> KEYED = new HashMap<>();
    static final Map<String, Map<String, Integer>> DEEP = new LinkedHashMap<>();
    static final Map<String, Object> VIEW = Collections.synchronizedMap(new HashMap<>());
    static final List<String> LIST = new ArrayList<>(Arrays.asList("one"));
    static final BlockingQueue<String> QUEUE = new LinkedBlockingQueue<>();
    static final BlockingQueue<String> AGAIN = new ArrayBlockingQueue<>(3);
    static final Set<Object> SET = new HashSet<>();
    static final Properties PROPERTIES = new Properties();
    static final AtomicInteger COUNT = new AtomicInteger();
    static final int[] NUMBERS = new int[3];
    static final byte[] BYTES = new byte[3];
    static final String[] TEXTS = new String[3];
    static final double[] REALS = new double[3];

    enum Mode {
        ON
    }

    static {
        MAP.put("old", 1);
        MAP.put("other", 2);
        KEYED.put(KEY, "kept");
        DEEP.put("in", new HashMap<>());
    }

    @Test
    public void a_begins() {
        assertEquals(2, MAP.size());
    }

    @Test
    public void b_fields() {
        ITEM.number = 1;
        ITEM.number = 7; // .ITEM.number
        ITEM.big = 8; // .ITEM.big
        ITEM.real = 1.5; // .ITEM.real
        ITEM.small = 2.5f; // .ITEM.small
        ITEM.flag = true; // .ITEM.flag
        ITEM.letter = 'x'; // .ITEM.letter
        ITEM.text = "text"; // .ITEM.text
        ITEM.next = new Item(); // .ITEM.next
        NAMED.call("named");
    }

    @Test
    public void c_elements() {
        NUMBERS[1] = 5; // .NUMBERS[1]
        BYTES[2] = (byte) 300; // .BYTES[2]
        TEXTS[0] = "text"; // .TEXTS[0]
        REALS[0] = 1; // of two words: not known
    }

    @Test
    public void d_entries() throws InterruptedException {
        MAP.put("new", "value"); // .MAP["new"]
        MAP.put("new else", "value"); // .MAP["new else"]
        MAP.remove("old"); // .MAP["old"]
        MAP.replace("other", 3); // .MAP["other"]
        KEYED.put(KEY, "changed"); // .KEYED[LinesTest.Key]
        DEEP.get("in").put("deep", 1000); // .DEEP["in"]["deep"]
        VIEW.put("key", "value"); // .VIEW["key"]
        LIST.add("two"); // .LIST[1]
        QUEUE.put("queued"); // .QUEUE[0]
        SET.add(Mode.ON); // .SET[ON]
        PROPERTIES.setProperty("key", "value"); // .PROPERTIES["key"]
    }

    @Test
    public void e_clears() {
        MAP.clear(); // .MAP["other"]
        LIST.set(0, "first"); // .LIST[0]
    }

    /** Nobody knows for certain who wrote what there is. */
    @Test
    public void f_hides() throws Exception {
        ITEM.number = 3;
        Item.class.getDeclaredField("number").setInt(ITEM, 4);
        SET.add("put again");
        SET.removeIf(o -> true);
        Collections.addAll(SET, "added");
        MAP.put("key", "value");
        MAP.entrySet().iterator().next().setValue("another");
        COUNT.incrementAndGet();
    }

    /** Of several calls, some had no effect, or another than it seems. */
    @Test
    public void g_doubts() throws InterruptedException {
        AGAIN.add("again");
        AGAIN.take();
        AGAIN.put("again");
        TWICE.add("twice");
        TWICE.add("twice");
        TWICE.add("once"); // .TWICE[2]
        MOVED.add(0, "q"); // .MOVED[0]
        MOVED.add("a");
        SAME.add("x");
        SAME.add("x");
        SAME.add("y"); // .SAME["y"]
        ABSENT.put("k", 1);
        ABSENT.putIfAbsent("k", 1);
        ABSENT.put("k2", 1);
        ABSENT.put("k2", 2); // .ABSENT["k2"]
        ABSENT.remove("old");
        ABSENT.remove("old");
        ABSENT.remove("gone"); // .ABSENT["gone"]
        EMPTIED.remove("old");
        EMPTIED.clear(); // .EMPTIED["other"]
        LESS.remove("a");
        LESS.clear();
        SET_AT.set(1, "a"); // .SET_AT[1]
        Collections.addAll(SET_AT, "b");
    }

    static final List<String> TWICE = new ArrayList<>();
    static final List<String> MOVED = new ArrayList<>(Arrays.asList("a", "z"));
    static final List<String> SET_AT = new ArrayList<>(Arrays.asList("x", "y"));
    static final List<String> LESS = new ArrayList<>(Arrays.asList("a", "b"));
    static final Set<String> SAME = new HashSet<>();
    static final Map<String, Object> ABSENT = new HashMap<>();
    static final Map<String, Object> EMPTIED = new HashMap<>();

    static {
        ABSENT.put("old", 1);
        ABSENT.put("gone", 1);
        EMPTIED.put("old", 1);
        EMPTIED.put("other", 1);
    }
}
