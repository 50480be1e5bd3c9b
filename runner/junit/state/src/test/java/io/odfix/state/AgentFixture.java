package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One root named R, compared before and after an action. */
public final class AgentFixture {
    public static final int MOST_OF_ROOT = HeapWalker.MOST_OF_ROOT;

    public Object held;
    /** Other threads change it. */
    public boolean moving;
    private Snapshot last;
    /**
     * The last objects. Otherwise the garbage collector could take them, and a quick comparison
     * would return nothing.
     */
    private Object kept;
    private final HeapWalker walker;
    private final List<Root> roots;

    public AgentFixture(Object held) {
        ReflectedMemory.install();
        this.held = held;
        walker = new HeapWalker(new Identities());
        Root root = new Root("R") {
            @Override
            boolean gone() {
                return false;
            }

            @Override
            Object held() {
                return AgentFixture.this.held;
            }
        };
        root.number = 0;
        roots = Collections.singletonList(root);
        last = look();
    }

    private Snapshot look() {
        Snapshot now = walker.capture(roots, HeapWalker.MOST, null);
        kept = now.captured.kept();
        while (kept == null) { // the garbage collector was faster
            now = walker.capture(roots, HeapWalker.MOST, null);
            kept = now.captured.kept();
        }
        return now;
    }

    /** The changes since the last call, one a line. */
    public List<String> changes() {
        boolean same = unchanged();
        Snapshot now = look();
        List<String> out = new ArrayList<String>();
        for (Change c : Difference.of(last, now, roots)) {
            out.add(c.toString());
        }
        if (same && !moving && !out.isEmpty()) {
            throw new AssertionError("a quick look did not see " + out);
        }
        last = now;
        return out;
    }

    /**
     * The result of a quick comparison: true if nothing has changed since the last call of {@link
     * #changes}.
     */
    public boolean unchanged() {
        return last.captured.same(last, roots);
    }

    /** More objects were reachable than were captured. */
    public boolean cut() {
        return last.cut;
    }

    public int objects() {
        return last.nodes();
    }
}
