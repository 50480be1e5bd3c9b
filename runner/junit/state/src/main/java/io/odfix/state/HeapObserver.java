package io.odfix.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what is reachable from the roots at one mark with the mark before, and tells the
 * differences as frames. The tracer's lock is held whenever it is called.
 */
final class HeapObserver {
    /** Objects of the first look at one class, and at all classes between two marks. */
    private static final int MOST_OF_CLASS = 5000;
    private static final int MOST_OF_FIRST = 50000;

    private final Roots roots;
    private final Options options;
    private final Identities identities = new Identities();
    private final HeapWalker walker = new HeapWalker(identities);
    private Snapshot before;
    private Snapshot last;
    private List<Change> changes = Collections.emptyList();
    private List<Change> fresh = changes;
    /**
     * Numbers of the roots that lead to something that the last look found changed: which of them
     * it was told of is no matter here.
     */
    private final BitSet changed = new BitSet();
    /** Nothing had changed at the last look. */
    private boolean still;
    /** All roots were compared in the last look. */
    private boolean all;
    private long took;
    private int looked;
    private boolean told;
    private boolean toldOfAll;
    private boolean crowded;
    /** Who put a static field last, by the field's name. */
    private final Map<String, String> writers = new HashMap<String, String>();

    /** Null where no lines are asked for. */
    private final WriteLog writes;
    /**
     * The objects of the last capture, where lines are asked for: held strongly, unlike its film,
     * as what was there before must still be known.
     */
    private Object[] objects;

    /** @param writes null where no lines are asked for */
    HeapObserver(Roots roots, Options options, WriteLog writes) {
        this.writes = writes;
        this.roots = roots;
        this.options = options;
    }

    Roots roots() {
        return roots;
    }

    /** False until there is a state to compare the next one with. */
    boolean began() {
        return last != null;
    }

    /** Before the first look. Not with the tracer's lock: classes are initialised. */
    void begin() {
        if (options.load != null) {
            EagerLoading.load(options.load);
        }
    }

    /**
     * A class's static initialiser has just ended: what its fields lead to is what they are
     * compared with.
     */
    void begun(Class<?> c, Statics statics) {
        if (options.lazy || looked >= MOST_OF_FIRST || !roots.observes(c)) {
            return;
        }
        List<Root> own = new ArrayList<Root>();
        for (Statics.Fld field : statics.fields.values()) {
            if (!field.constant(null)) {
                Root root = new Roots.Field(field) {
                    @Override
                    boolean gone() {
                        return false; // it is about to be initialised
                    }
                };
                root.number = own.size();
                own.add(root);
            }
        }
        statics.first = own.isEmpty() ? null : walker.shoot(own, MOST_OF_CLASS, null);
        looked += statics.first == null ? 0 : statics.first.nodes();
    }

    void wrote(ObservedState spot, String by) {
        writers.put(spot.name, by);
    }

    /** Looks at the state at the end of a segment. @param touched pairs of place and bits */
    void look(int[] touched) {
        long began = System.nanoTime();
        for (int i = 0; i < touched.length; i += 2) {
            roots.signals(touched[i]);
        }
        looked = 0;
        roots.update();
        before = last;
        changes = Collections.emptyList();
        fresh = changes;
        changed.clear();
        still = last != null && last.captured != null && last.captured.same(last, roots.all());
        if (!still) {
            last = walker.shoot(roots.all(), HeapWalker.MOST, before);
            if (before != null) {
                before.captured = null;
                changes = Difference.of(before, last, roots.all());
            }
            fresh = fresh();
            lines();
        } else if (writes != null) {
            writes.take();
        }
        for (Change c : changes) {
            changed.set(c.root.number);
        }
        last.reaching(changed);
        all = changes.size() < Difference.MOST;
        ReferencingFields ways = new ReferencingFields(last);
        if (!ways.complete(changes, roots.all()) | !ways.complete(fresh, roots.all())) {
            manyWays();
        }
        List<Change> both = new ArrayList<Change>(changes);
        for (ExternalState kind : roots.outside()) {
            both.addAll(kind.changes());
        }
        changes = both;
        if (last.large != null && !told) {
            told = true;
            AgentApi.note(last.large + " leads to more than is looked at (" + HeapWalker.MOST_OF_ROOT + " objects): changes behind these are not seen");
        }
        if (last.crowded != null && !toldOfAll) {
            toldOfAll = true;
            AgentApi.note("all static fields together lead to more than is looked at (" + HeapWalker.MOST + " objects): of " + last.crowded
                    + " and those behind it only what is near, " + HeapWalker.LITTLE + " objects each, is seen for sure; --exclude-roots leaves out large ones");
        }
        took = (System.nanoTime() - began) / 1000;
    }

    /** Finds the lines that wrote what has changed. */
    private void lines() {
        if (writes == null) {
            return;
        }
        Object[] now = last.captured.met();
        LastWriters lines = new LastWriters(writes.take(), before, objects, last, now == null ? new Object[0] : now);
        objects = now;
        for (List<Change> some : Arrays.asList(changes, fresh)) {
            for (Change c : some) {
                c.by = lines.of(c);
            }
        }
    }

    /**
     * True where the last look showed that no root has changed, and all places of the JDK and
     * system properties are among these.
     */
    boolean still() {
        return still && !options.excludes();
    }

    /**
     * True where the last look showed that the field holds, to the last object, what it held
     * before.
     */
    boolean same(ObservedState spot) {
        return all && spot.root != null && before != null && !last.cut && !before.cut && before.has(spot.root) && last.has(spot.root)
                && !changed.get(spot.root.number);
    }

    private void manyWays() {
        if (!crowded) {
            crowded = true;
            AgentApi.note("more static fields lead to what changed than are followed: tests that read it by way of the others are not among its readers");
        }
    }

    /** The fields below which the last look told no change, and which lead to one nevertheless. */
    List<ObservedState> also() {
        List<ObservedState> out = new ArrayList<ObservedState>();
        for (List<Change> list : Arrays.asList(changes, fresh)) {
            for (Change c : list) {
                for (Root root : c.also) {
                    if (!out.contains(root.spot())) {
                        out.add(root.spot());
                    }
                }
            }
        }
        return out;
    }

    /** Tells of the last look. */
    byte[] told(char kind, long position) {
        Bytes list = new Bytes(' ');
        add(list, changes, 0);
        add(list, fresh, 1);
        writers.clear();
        return new Bytes('p').u8(kind).i64(position).u32(last.nodes()).u32(last.rooted()).u8(last.cut ? 1 : 0).i64(took)
                .list(changes.size() + fresh.size(), list).done();
    }

    /** What became of roots since their class was initialised, which was behind the last mark. */
    private List<Change> fresh() {
        List<Change> out = new ArrayList<Change>();
        for (Root root : roots.all()) {
            if (root.first == null || !last.has(root)) {
                continue; // or its class is not initialised yet
            }
            if (!options.lazy && before != null && !before.has(root)) {
                out.addAll(Difference.sinceFirst(root, last));
            }
            root.first = null;
        }
        return out;
    }

    private void add(Bytes to, List<Change> changes, int flags) {
        for (Change c : changes) {
            String place = c.root.place(c.path);
            String by = c.path.equals(place) ? writers.get(place) : c.by;
            to.str(place).str(c.path).str(c.before).str(c.after).u8(flags).str(by == null ? "" : by);
            Bytes also = new Bytes(' ');
            for (Root root : c.also) {
                also.str(root.name);
            }
            to.list(c.also.size(), also);
        }
    }
}
