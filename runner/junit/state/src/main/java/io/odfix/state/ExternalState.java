package io.odfix.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A kind of state that lies outside of static fields, as a map of what there is: files, threads,
 * ports. It is no part of captures: its entries are compared by their names.
 */
abstract class ExternalState extends Root {
    /** The most changes reported at once. */
    private static final int MOST = 200;

    private Map<String, Object> last;

    ExternalState(String name) {
        super(name);
    }

    /**
     * What there is now: names, and for each a text, or a {@link NamedObject}. A failure leaves
     * what was there.
     */
    abstract Map<String, Object> look() throws Throwable;

    @Override
    final boolean gone() {
        return false;
    }

    /** The same map where it holds the same. A security manager of the project is asked nothing. */
    @Override
    @SuppressWarnings("removal")
    final Map<String, Object> held() {
        try {
            if (System.getSecurityManager() == null) {
                Map<String, Object> now = look();
                last = now.equals(last) ? last : now;
            }
        } catch (Throwable t) {
            return last;
        }
        return last;
    }

    /** What differs from the last call. The first call returns nothing. */
    final List<Change> changes() {
        List<Change> out = new ArrayList<Change>();
        Map<String, Object> was = last;
        Map<String, Object> now = held();
        if (was == null || now == was) {
            return out;
        }
        Set<String> names = new TreeSet<String>(was.keySet());
        names.addAll(now.keySet());
        for (String name : names) {
            Object a = was.get(name);
            Object b = now.get(name);
            if (out.size() < MOST && (a == null || !a.equals(b)) && isReported(a, b)) {
                out.add(new Change(this, this.name + " " + name, words(a), words(b)));
            }
        }
        return out;
    }

    /** False where such a change is not due to the test after which it is found. */
    boolean isReported(Object was, Object now) {
        return true;
    }

    private static String words(Object held) {
        return held == null ? ValueText.ABSENT : ValueText.text(held);
    }

    @Override
    final String place(String path) {
        return path;
    }

    /** Environment variables, which tests change by force. */
    static final class Environment extends ExternalState {
        Environment() {
            super("environment variable");
        }

        @Override
        Map<String, Object> look() {
            return new HashMap<String, Object>(System.getenv());
        }
    }
}
