package io.odfix.state;

import static org.junit.Assert.assertEquals;

import java.util.Collections;
import org.junit.Test;

/**
 * A class that is initialised between two captures is compared with the state after its
 * initialiser.
 */
public class FirstTest {
    @Test
    public void nullToObject() {
        ReflectedMemory.install();
        final Object[] held = {new int[] {7}};
        Root root = new Root("R") {
            @Override
            boolean gone() {
                return false;
            }

            @Override
            Object held() {
                return held[0];
            }
        };
        root.number = 0;
        root.first = new Snapshot();
        root.first.root(root, Snapshot.NULL);
        root.number = 3;
        Snapshot now = new HeapWalker(new Identities()).capture(Collections.singletonList(root), 100, null);
        assertEquals("[R: null → int[1]]", Difference.sinceFirst(root, now).toString());
    }
}
