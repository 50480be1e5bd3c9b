package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One root named R, looked at before and after something is done. */
public final class AgentFixture {
    public static final int MOST_OF_ROOT = HeapWalker.MOST_OF_ROOT;

    public Object held;
    /** Other threads change it. */
    public boolean moving;
    private Snapshot last;
    /** The last film, else a collector could take it, and a quick look would say nothing. */
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
        while (kept == null) { // a collector was faster
            now = walker.capture(roots, HeapWalker.MOST, null);
            kept = now.captured.kept();
        }
        return now;
    }

    /** What changed since the last call, a line each. */
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
     * What a quick look says: true if nothing has changed since the last call of {@link
     * #changes}.
     */
    public boolean unchanged() {
        return last.captured.same(last, roots);
    }

    /** More could be reached than was looked at. */
    public boolean cut() {
        return last.cut;
    }

    public int objects() {
        return last.nodes();
    }
}
