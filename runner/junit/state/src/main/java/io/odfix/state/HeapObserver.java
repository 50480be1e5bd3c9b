package io.odfix.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the objects reachable from the roots at one mark with those of the mark before, and
 * makes frames of the differences. Callers hold the tracer's lock.
 */
final class HeapObserver {
    /**
     * The most objects captured of one class that is initialised, and of all such classes between
     * two marks.
     */
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
     * Numbers of the roots that lead to something that changed, whichever root the change is
     * reported for.
     */
    private final BitSet changed = new BitSet();
    /** Nothing had changed at the last comparison. */
    private boolean still;
    /** The last comparison covered all roots. */
    private boolean all;
    private long took;
    private int looked;
    /** The notes so far, each kind once. */
    private final Set<String> noted = new HashSet<String>();
    /** The line that last put a static field, by the field's name. */
    private final Map<String, String> writers = new HashMap<String, String>();

    /** Null if lines are not requested. */
    private final WriteLog writes;
    /**
     * The objects of the last capture, if lines are requested. Strong references hold them, because
     * their earlier content is still needed.
     */
    private Object[] objects;

    /** @param writes null if lines are not requested */
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

    /** Before the first comparison. Not with the tracer's lock: classes are initialised. */
    void begin() {
        if (options.load != null) {
            EagerLoading.load(options.load);
        }
    }

    /**
     * A class's static initialiser has just ended. The objects below its fields are the initial
     * state for comparisons.
     */
    void classInitialised(Class<?> c, Statics statics) {
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
        statics.first = own.isEmpty() ? null : walker.capture(own, MOST_OF_CLASS, null);
        looked += statics.first == null ? 0 : statics.first.nodes();
    }

    void wrote(ObservedState observed, String by) {
        writers.put(observed.name, by);
    }

    /**
     * Captures the state at the end of a segment, and compares it.
     *
     * @param touched pairs of place and bits
     */
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
            last = walker.capture(roots.all(), HeapWalker.MOST, before);
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
            note("ways", "more static fields lead to what changed than are followed: tests that read it through the others are not among its readers");
        }
        List<Change> both = new ArrayList<Change>(changes);
        for (ExternalState kind : roots.outside()) {
            both.addAll(kind.changes());
        }
        changes = both;
        if (last.large != null) {
            note("large", last.large + " leads to more than is captured (" + HeapWalker.MOST_OF_ROOT + " objects): changes of the others are not seen");
        }
        if (last.beyondLimit != null) {
            note("limit", "all static fields together lead to more than is captured (" + HeapWalker.MOST + " objects): of " + last.beyondLimit
                    + " and those after it only what is near, " + HeapWalker.LEAST_OF_ROOT + " objects each, is seen for sure; --exclude-roots leaves out large ones");
        }
        took = (System.nanoTime() - began) / 1000;
    }

    /** Finds the lines that wrote the changed values. */
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
     * True if the last comparison found no changed root, and all places of the JDK and system
     * properties are among the roots.
     */
    boolean still() {
        return still && !options.excludes();
    }

    /** True if the last comparison found everything below the field unchanged. */
    boolean same(ObservedState observed) {
        return all && observed.root != null && before != null && !last.cut && !before.cut && before.has(observed.root) && last.has(observed.root)
                && !changed.get(observed.root.number);
    }

    private void note(String sort, String text) {
        if (noted.add(sort)) {
            AgentApi.note(text);
        }
    }

    /** The fields that also lead to a change, which is reported for another field. */
    List<ObservedState> also() {
        List<ObservedState> out = new ArrayList<ObservedState>();
        for (List<Change> list : Arrays.asList(changes, fresh)) {
            for (Change c : list) {
                for (Root root : c.also) {
                    if (!out.contains(root.observed())) {
                        out.add(root.observed());
                    }
                }
            }
        }
        return out;
    }

    /** The frame of the last comparison. */
    byte[] frame(char kind, long position) {
        Bytes list = new Bytes(' ');
        add(list, changes, 0);
        add(list, fresh, 1);
        writers.clear();
        return new Bytes('p').u8(kind).i64(position).u32(last.nodes()).u32(last.rooted()).u8(last.cut ? 1 : 0).i64(took)
                .list(changes.size() + fresh.size(), list).done();
    }

    /**
     * Changes of roots whose class was initialised since the last mark, compared with its initial
     * state.
     */
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
