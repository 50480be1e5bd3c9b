package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** A change of an object below several roots is reported for one of them, and recorded for all. */
public class SharedTest {
    private static Root root(final int number, final Object held) {
        Root made = new Root("R" + number) {
            @Override
            ObservedState observed() {
                return new ObservedState(name, 0) {
                    @Override
                    long now(Graph graph) {
                        return 0;
                    }
                };
            }

            @Override
            boolean gone() {
                return false;
            }

            @Override
            Object held() {
                return held;
            }
        };
        made.number = number;
        return made;
    }

    @Test
    public void rootsThatLeadToAChange() {
        ReflectedMemory.install();
        int[] numbers = {1};
        Object[] holder = {numbers};
        List<Root> roots = new ArrayList<Root>(Arrays.asList(
                root(0, holder), root(1, new int[] {1}), root(2, new Object[] {numbers}), root(3, new Object[] {new Object[] {holder}}), root(4, null)));
        roots.add(root(5, roots.get(2).held()));
        HeapWalker walker = new HeapWalker(new Identities());
        Snapshot before = walker.capture(roots, HeapWalker.MOST, null);
        numbers[0] = 2;
        Snapshot after = walker.capture(roots, HeapWalker.MOST, before);
        List<Change> changes = Difference.of(before, after, roots);
        assertEquals("[R0[0][0]: 1 → 2]", changes.toString());
        BitSet changed = new BitSet();
        changed.set(changes.get(0).root.number);
        after.reaching(changed);
        assertEquals("{0, 2, 3, 5}", changed.toString());
    }

    /**
     * The fields that lead to exactly the changed object, of those that share an object with the
     * reported field.
     */
    @Test
    public void otherFieldsThatLeadToAChange() {
        ReflectedMemory.install();
        int[] inner = {0};
        Object[] outer = {inner, "a"};
        Map<String, Object> map = new HashMap<String, Object>();
        map.put("k", outer);
        ThreadLocal<Object> local = new ThreadLocal<Object>();
        local.set(new Object[] {null, new ArrayList<Object>(Arrays.asList(1, inner))});
        List<Root> roots = Arrays.asList(
                root(0, outer), root(1, inner), root(2, new Object[] {outer}), root(3, map), root(4, new HashSet<Object>(Arrays.<Object>asList(inner, "a"))), root(5, local), root(6, new int[] {0}));
        HeapWalker walker = new HeapWalker(new Identities());
        Snapshot before = walker.capture(roots, HeapWalker.MOST, null);
        inner[0] = 1;
        outer[1] = "b";
        Snapshot after = walker.capture(roots, HeapWalker.MOST, before);
        List<Change> changes = Difference.of(before, after, roots);
        assertTrue(new ReferencingFields(after).complete(changes, roots));
        List<String> told = new ArrayList<String>();
        for (Change c : changes) {
            StringBuilder line = new StringBuilder(c.path);
            for (Root also : c.also) {
                line.append(' ').append(also.name);
            }
            told.add(line.toString());
        }
        assertEquals("[R0[1] R2 R3, R0[0][0] R1 R2 R3 R4 R5]", told.toString());
    }
}
