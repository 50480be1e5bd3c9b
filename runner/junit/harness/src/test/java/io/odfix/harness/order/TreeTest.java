package io.odfix.harness.order;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class TreeTest {
    private final List<String> kept = new ArrayList<>();
    private final Node inner = group("inner").add(test("C$I#x")).add(test("C$I#y"));
    private final Node root = group("C").add(test("C#a")).add(test("C#b")).add(inner).add(test("C#a"));

    private Node group(final String name) {
        return Node.group(name, name, null, children -> kept.add(name + children));
    }

    private static Node test(String id) {
        return Node.test(id, id, null);
    }

    private String visits(String... ids) {
        List<String> order = Arrays.asList(ids);
        StringBuilder out = new StringBuilder();
        for (int at = 0; at < ids.length; ) {
            int length = Tree.prefix(root, order, at).size();
            out.append(length);
            at += Math.max(length, 1);
        }
        return out.toString();
    }

    @Test
    public void visitsEndWhereATestOrAGroupComesBack() {
        Tree.number(root);
        assertEquals("5", visits("C#b", "C$I#y", "C$I#x", "C#a", "C#a~2"));
        assertEquals("11", visits("C#a", "C#a"));
        assertEquals("3", visits("C#a", "C$I#x", "C#b"));
        assertEquals("21", visits("C$I#x", "C#a", "C$I#y"));
        assertEquals("101", visits("C#a", "D#a", "C#a"));
    }

    @Test
    public void arrangesOnlyWhatChanges() {
        Tree.number(root);
        Tree.arrange(root, root.tests());
        assertEquals("[]", kept.toString());
        List<Node> visit = Tree.prefix(root, Arrays.asList("C$I#y", "C$I#x", "C#a~2"), 0);
        Tree.arrange(root, visit);
        assertEquals("[inner[C$I#y, C$I#x], C[inner, C#a]]", kept.toString());
    }

    @Test
    public void idsNameTheLaunchedClassWhereItIsAnother() {
        assertEquals("a.B#m", Ids.of("a.B", "a.B", "m"));
        assertEquals("a.B$C#m", Ids.of("a.B", "a.B$C", "m"));
        assertEquals("a.All>a.B#m\\n", Ids.of("a.All", "a.B", "m\n"));
        assertEquals("a.All", Ids.outer("a.All>a.B#m"));
        assertEquals("String[][]", Ids.simpleType("[[Ljava.lang.String;"));
        assertEquals("int[]", Ids.simpleType("[I"));
        assertEquals("Entry", Ids.simpleType("java.util.Map$Entry"));
        assertEquals("String[]", Ids.simpleType("java.lang.String[]"));
    }
}
