package io.odfix.harness.junit4;

import io.odfix.harness.order.Ids;
import java.util.ArrayList;
import java.util.List;
import org.junit.runner.Description;

/** Reads descriptions by their display names, because JUnit 4.5 offers nothing else. */
final class Names {
    private Names() {}

    /** The id of a test in a launched class. */
    static String id(Description test, String launched) {
        String name = test.getDisplayName();
        int open = name.lastIndexOf('(');
        if (open < 0 || !name.endsWith(")")) {
            // The description has no method: an ignored class, or a test that a runner invented.
            boolean isClass = name.equals(launched) || name.startsWith(launched + "$");
            return Ids.of(launched, isClass ? name : launched, name);
        }
        return Ids.of(launched, name.substring(open + 1, name.length() - 1), name.substring(0, open));
    }

    static boolean same(Description a, Description b) {
        return a.getDisplayName().equals(b.getDisplayName());
    }

    /** True if the description belongs to the test or one of its invocations. */
    static boolean covers(Description test, Description event) {
        if (same(test, event)) {
            return true;
        }
        for (Description child : test.getChildren()) {
            if (covers(child, event)) {
                return true;
            }
        }
        return false;
    }

    /** Display names of the tests below, in order. */
    static List<String> tests(Description top) {
        List<String> all = new ArrayList<String>();
        collect(top, all);
        return all;
    }

    private static void collect(Description d, List<String> into) {
        if (d.getChildren().isEmpty()) {
            into.add(d.getDisplayName());
        }
        for (Description child : d.getChildren()) {
            collect(child, into);
        }
    }
}
