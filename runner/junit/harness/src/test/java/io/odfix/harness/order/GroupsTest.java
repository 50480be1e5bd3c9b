package io.odfix.harness.order;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Arrays;
import java.util.HashSet;
import org.junit.Test;

public class GroupsTest {
    private static boolean admits(String in, String out, String... categories) {
        return new Groups(in, out).admits(new HashSet<>(Arrays.asList(categories)));
    }

    @Test
    public void readsExpressions() {
        assertEquals(true, admits("a.Slow", null, "a.Slow"));
        assertEquals(true, admits("Slow", "", "a.Slow"));
        assertEquals(true, admits("Slow", "", "a.B$Slow"));
        assertEquals(false, admits("Slow", "", "a.VerySlow"));
        assertEquals(true, admits("X, Slow", null, "a.Slow"));
        assertEquals(false, admits("X && Slow", null, "a.Slow"));
        assertEquals(true, admits("(X || Slow) && !Y", null, "a.Slow"));
        assertEquals(false, admits("X | Slow & Y", null, "a.Slow"));
        assertEquals(true, admits("a.Unit OR NOT a.Unit", null, "a.Slow"));
        assertEquals(true, admits("Slow and NOT (X Or Y)", null, "a.Slow"));
        assertEquals(false, admits("Slow AND Order", null, "a.Slow"));
        assertEquals(true, admits("Order", null, "a.Order"));
        assertEquals(false, admits(null, "Slow", "a.Slow"));
        assertEquals(true, admits(null, "Slow"));
        assertEquals(false, admits("Slow", null));
    }

    @Test
    public void namesWhatItCannotRead() {
        for (String wrong : new String[] {"(a", "a b", "&& a", "a)", "!", "a ||", "a OR", "NOT", "a NOT b"}) {
            assertThrows(wrong, IllegalArgumentException.class, () -> new Groups(wrong, null));
        }
    }
}
