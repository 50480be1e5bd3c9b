package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what is reachable from the roots at one mark with the mark before, and tells the
 * differences as frames. The tracer's lock is held whenever it is called.
 */
final class Deep {
    /** Objects of the first look at one class, and at all classes between two marks. */
    private static final int MOST_OF_CLASS = 5000;
    private static final int MOST_OF_FIRST = 50000;

    private final Roots roots;
    private final Options options;
    private final Identities identities = new Identities();
    private final Camera camera = new Camera(identities);
    private Snapshot last;
    private int looked;
    private boolean told;
    /** Who put a static field last, by the field's name. */
    private final Map<String, String> writers = new HashMap<String, String>();

    Deep(Roots roots, Options options) {
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

    /** A class's static initialiser has just ended: what its fields lead to is what they are compared with. */
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
        statics.first = own.isEmpty() ? null : camera.shoot(own, MOST_OF_CLASS);
        looked += statics.first == null ? 0 : statics.first.nodes();
    }

    void wrote(Spot spot, String by) {
        writers.put(spot.name, by);
    }

    /** The segment that ends is told, where there is anything to tell of it. */
    byte[] mark(char kind, long position) {
        long began = System.nanoTime();
        looked = 0;
        roots.update();
        Snapshot now = camera.shoot(roots.all(), Camera.MOST);
        List<Change> changes = last == null ? Collections.<Change>emptyList() : Difference.of(last, now, roots.all());
        List<Change> fresh = fresh(now);
        last = now;
        if (now.large != null && !told) {
            told = true;
            Marks.note(now.large + " leads to more than is looked at (" + Camera.MOST_OF_ROOT + " objects): changes behind these are not seen");
        }
        long took = (System.nanoTime() - began) / 1000;
        Bytes list = new Bytes(' ');
        add(list, changes, 0);
        add(list, fresh, 1);
        writers.clear();
        return new Bytes('p').u8(kind).i64(position).u32(now.nodes()).u32(now.rooted()).u8(now.cut ? 1 : 0).i64(took)
                .list(changes.size() + fresh.size(), list).done();
    }

    /** What became of roots since their class was initialised, which was behind the last mark. */
    private List<Change> fresh(Snapshot now) {
        List<Change> out = new ArrayList<Change>();
        for (Root root : roots.all()) {
            if (root.first == null || !now.has(root)) {
                continue; // or its class is not initialised yet
            }
            if (!options.lazy && last != null && !last.has(root)) {
                out.addAll(Difference.sinceFirst(root, now));
            }
            root.first = null;
        }
        return out;
    }

    private void add(Bytes to, List<Change> changes, int flags) {
        for (Change c : changes) {
            String place = c.root.place(c.path);
            String by = c.path.equals(place) ? writers.get(place) : null;
            to.str(place).str(c.path).str(c.before).str(c.after).u8(flags).str(by == null ? "" : by);
        }
    }
}
