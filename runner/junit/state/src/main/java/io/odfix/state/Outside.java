package io.odfix.state;

import java.util.HashMap;
import java.util.Map;

/**
 * A kind of state that lies outside of static fields, as a map of what there is: files, threads, ports. It is a root of
 * captures, whose entries are compared by their names.
 */
abstract class Outside extends Root {
    private Map<String, Object> last = new HashMap<String, Object>();

    Outside(String name) {
        super(name);
    }

    /** What there is now: names, and for each a text, or a {@link Named}. A failure leaves what was there. */
    abstract Map<String, Object> look() throws Throwable;

    @Override
    final boolean gone() {
        return false;
    }

    /** The same map where it holds the same. A security manager of the project is asked nothing. */
    @Override
    @SuppressWarnings("removal")
    final Object held() {
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

    @Override
    final boolean entries() {
        return true;
    }

    @Override
    final String place(String path) {
        return path;
    }

    /** Environment variables, which tests change by force. */
    static final class Environment extends Outside {
        Environment() {
            super("environment variable");
        }

        @Override
        Map<String, Object> look() {
            return new HashMap<String, Object>(System.getenv());
        }
    }
}
