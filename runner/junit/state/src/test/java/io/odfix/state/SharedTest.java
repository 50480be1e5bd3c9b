package io.odfix.state;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.Test;

/** What several roots lead to is told of one of them, and is changed for all of them. */
public class SharedTest {
    private static Root root(int number, final Object held) {
        Root made = new Root("R" + number) {
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
        Camera camera = new Camera(new Identities());
        Snapshot before = camera.shoot(roots, Camera.MOST, null);
        numbers[0] = 2;
        Snapshot after = camera.shoot(roots, Camera.MOST, before);
        List<Change> changes = Difference.of(before, after, roots);
        assertEquals("[R0[0][0]: 1 → 2]", changes.toString());
        BitSet changed = new BitSet();
        changed.set(changes.get(0).root.number);
        after.reaching(changed);
        assertEquals("{0, 2, 3, 5}", changed.toString());
    }
}
