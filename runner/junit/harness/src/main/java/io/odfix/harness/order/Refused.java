package io.odfix.harness.order;

import java.util.Collections;
import java.util.List;

/**
 * An order that cannot be run exactly as requested, with the reason and the ids that are the cause.
 */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    public final transient List<String> ids;
    /** The tests do not exist. */
    public final boolean missing;

    public Refused(String reason, List<String> ids) {
        this(reason, ids, false);
    }

    /** @param missing whether the tests do not exist */
    public Refused(String reason, List<String> ids, boolean missing) {
        super(reason);
        this.ids = ids;
        this.missing = missing;
    }

    public Refused(String reason, String id) {
        this(reason, Collections.singletonList(id));
    }

    /** Returns a refusal for a test that does not exist. */
    public static Refused missing(String reason, String id) {
        return new Refused(reason, Collections.singletonList(id), true);
    }
}
