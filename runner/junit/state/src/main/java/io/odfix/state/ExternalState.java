package io.odfix.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A kind of state outside of static fields, such as files, threads or ports. It is a map of names,
 * which are compared. Captures do not contain it.
 */
abstract class ExternalState extends Root {
    /** The most changes reported at once. */
    private static final int MOST = 200;

    private Map<String, Object> last;

    ExternalState(String name) {
        super(name);
    }

    /**
     * The present state: names, and for each name a text or a {@link NamedObject}. If reading
     * fails, the state before remains.
     */
    abstract Map<String, Object> look() throws Throwable;

    @Override
    final boolean gone() {
        return false;
    }

    /**
     * Returns the same map if its content is the same. No security manager of the project is
     * called.
     */
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

    /** The differences from the last call. The first call returns none. */
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

    /** False if such a change is not due to the test after which it is found. */
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

    /** Environment variables. Tests change them by reflection. */
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
