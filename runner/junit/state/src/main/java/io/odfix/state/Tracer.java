package io.odfix.state;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Makes frames of the places touched between two marks, and of those found changed at the second.
 * Touched places are always compared. All other places that were ever touched are compared in turn,
 * as time allows, because references taken earlier can change their objects.
 */
final class Tracer {
    /** The maximal number of objects of one walk. */
    private static final int CAP = 20000;
    /** Nanoseconds for the observed states that the segment touched, and for all others. */
    private static final long TOUCHED = 100L * 1000 * 1000;
    private static final long OTHERS = 4L * 1000 * 1000;
    /**
     * The part of the segment's own time for all other states if the heap is captured. Only state
     * that is not a root is among them.
     */
    private static final int SHARE = 50;
    private static final int MOST_NOTES = 100;
    private static final int MOST_CLASSES = 20000;
    /** The maximal size of a segment in bytes. The protocol's frames may be a little longer. */
    private static final int LONGEST = 15 << 20;

    private final Sites sites;
    private final Ambient ambient;
    /** Null if the heap is not captured. */
    private final HeapObserver heapObserver;
    private final Instrumentation instrumentation;
    private final Graph graph = new Graph(CAP);
    private final ReentrantLock walking = new ReentrantLock();
    private final List<ObservedState> announced = new ArrayList<ObservedState>();
    private final List<byte[]> frames = new ArrayList<byte[]>();
    private int turn;
    private int marks;
    private long marked = System.nanoTime();
    private int notes;
    private int classes;
    private volatile Restore restore;

    Tracer(Sites sites, Ambient ambient, HeapObserver heapObserver, Instrumentation instrumentation) {
        this.sites = sites;
        this.ambient = ambient;
        this.heapObserver = heapObserver;
        this.instrumentation = instrumentation;
    }

    Ambient ambient() {
        return ambient;
    }

    void note(String text) {
        synchronized (frames) {
            if (notes++ < MOST_NOTES) {
                frames.add(new Bytes('n').str(text).done());
            }
        }
    }

    /**
     * Records the values of a class's fields when it has been initialised, unless another thread
     * compares state at the same time.
     */
    void classInitialised(Class<?> c) {
        if (restores()) {
            remember(c);
            return;
        }
        announce(c);
        if (heapObserver != null) {
            if (!heapObserver.roots().mayHold(c.getName().replace('.', '/'))) {
                return; // it is not a root, and woven code does not record it
            }
            heapObserver.roots().arrives(c);
        }
        if (walking.isHeldByCurrentThread() || !walking.tryLock()) {
            return;
        }
        try {
            Statics statics = Statics.of(c);
            if (heapObserver != null) {
                heapObserver.classInitialised(c, statics);
            }
            for (Statics.Fld field : statics.fields.values()) {
                if (!field.known && !field.constant(graph)) {
                    field.baseline(field.now(graph));
                    field.known = graph.whole();
                    field.checked = marks;
                }
            }
        } catch (Throwable t) {
            note("what " + c.getName() + " holds when it is new cannot be announced: " + t);
        } finally {
            walking.unlock();
        }
    }

    byte[][] mark(char kind, long position) {
        if (restores()) {
            return new byte[0][];
        }
        if (heapObserver != null && !heapObserver.began()) {
            heapObserver.begin();
        }
        int[] touched = sites.take();
        walking.lock();
        try {
            if (touched.length > 0 || kind == 't' || heapObserver != null && !heapObserver.began()) {
                marks++;
                if (heapObserver != null) {
                    heapObserver.look(touched);
                }
                new Segment().write(kind, position, touched);
                if (heapObserver != null) {
                    add(heapObserver.frame(kind, position));
                }
                marked = System.nanoTime();
            }
        } catch (Throwable t) {
            note("a segment of the run was not observed: " + t);
        } finally {
            graph.rest();
            walking.unlock();
        }
        synchronized (frames) {
            byte[][] out = frames.toArray(new byte[0][]);
            frames.clear();
            return out;
        }
    }

    /** Saves the state, to be restored by {@link #restore}. */
    void remember(List<String> places) {
        walking.lock();
        try {
            restore = new Restore(places, graph, instrumentation, sites);
        } finally {
            walking.unlock();
        }
    }

    /**
     * A copy of a class with saved state was initialised. If this happens while other state is
     * compared, the copy cannot be restored, and the result reports that.
     */
    private void remember(Class<?> c) {
        if (!restore.remembers(c.getName()) || !walking.tryLock()) {
            return;
        }
        try {
            restore.classInitialised(c);
        } finally {
            walking.unlock();
        }
    }

    /** True for a class, by its name, with saved state. */
    boolean remembers(String name) {
        return restore.remembers(name);
    }

    /** True in an order that saves and restores state; segments are not sent then. */
    boolean restores() {
        return restore != null;
    }

    /** Restores what was saved, and returns the result. */
    byte[] restore() {
        walking.lock();
        try {
            return restore.restore().done();
        } finally {
            walking.unlock();
        }
    }

    private void add(byte[] frame) {
        if (frame.length > LONGEST) {
            note("a segment of the run is too large to be announced");
            return;
        }
        synchronized (frames) {
            frames.add(frame);
        }
    }

    /** Tells the reader that the class's static initialiser has ended. */
    private void announce(Class<?> c) {
        synchronized (frames) {
            if (heapObserver == null && classes++ < MOST_CLASSES) { // a reader that compares state has no use for them
                frames.add(new Bytes('k').str(c.getName()).done());
            }
        }
    }

    /** Announces the state to the reader. */
    private void announce(ObservedState observed) {
        if (observed.index < 0) {
            observed.index = announced.size();
            announced.add(observed);
            synchronized (frames) {
                frames.add(new Bytes('l').u32(observed.index).str(observed.name).u8(observed.flags).done());
            }
        }
    }

    /** The state of a place, or null if it is not observed, or not known yet. */
    private ObservedState resolve(Sites.Site site) {
        if (site.observed != null || site.unobserved) {
            return site.observed;
        }
        try {
            Statics.Fld found = FieldResolver.field(site);
            if (found == null) {
                site.unobserved = true;
                return null;
            }
            if (found.gone()) {
                return null; // touched before its class was initialised, which then failed
            }
            if (found.constant(graph)) {
                site.unobserved = true;
                return null;
            }
            if (!found.known && FieldResolver.beginsUnset(sites, site, found)) {
                found.baseline(found.unset(graph));
            }
            site.observed = found;
        } catch (Throwable t) {
            site.unobserved = true;
            note(site.owner + "." + site.field + " cannot be read: " + t);
        }
        return site.observed;
    }

    /** One segment's frame. */
    private final class Segment {
        private final Bytes[] lists = {new Bytes(' '), new Bytes(' '), new Bytes(' '), new Bytes(' ')};
        private final int[] counts = new int[lists.length];
        private final Bytes values = new Bytes(' ');
        private int valued;

        void write(char kind, long position, int[] touched) {
            List<ObservedState> seen = new ArrayList<ObservedState>();
            for (int i = 0; i < touched.length; i += 2) {
                ObservedState observed = resolve(sites.site(touched[i]));
                if (observed == null || heapObserver != null && heapObserver.roots().isSignal(touched[i])) {
                    continue;
                }
                announce(observed);
                seen.add(observed);
                if (heapObserver != null && (touched[i + 1] & (Sites.WRITE | Sites.FIRST_WRITE)) != 0) {
                    heapObserver.wrote(observed, sites.writer(touched[i]));
                }
                for (int bit = 0; bit < lists.length; bit++) {
                    if ((touched[i + 1] >> bit & 1) != 0) {
                        lists[bit].u32(observed.index);
                        counts[bit]++;
                    }
                }
            }
            look(seen);
            Bytes frame = new Bytes('g').u8(kind).i64(position);
            for (int bit = 0; bit < lists.length; bit++) {
                frame.list(counts[bit], lists[bit]);
            }
            frame.list(valued, values);
            add(frame.done());
        }

        private void look(List<ObservedState> seen) {
            long end = System.nanoTime() + TOUCHED;
            look(seen, end);
            if (heapObserver != null) {
                // A change below one field is immediately reported for the other fields that lead
                // to it, although they were not touched.
                List<ObservedState> also = heapObserver.also();
                for (ObservedState observed : also) {
                    announce(observed);
                }
                look(also, end);
            }
            for (ObservedState observed : ambient.changed(heapObserver != null && heapObserver.still())) {
                announce(observed);
                look(observed, true);
            }
            long now = System.nanoTime();
            end = now + (heapObserver == null ? OTHERS : Math.min(OTHERS, (now - marked) / SHARE));
            for (int i = 0; i < announced.size() && System.nanoTime() < end; i++) {
                turn = turn + 1 < announced.size() ? turn + 1 : 0;
                look(announced.get(turn), false);
            }
        }

        private void look(List<ObservedState> some, long end) {
            for (ObservedState observed : some) {
                if (System.nanoTime() < end) {
                    look(observed, true);
                } else {
                    value(observed, 'u', observed.value);
                }
            }
        }

        private void look(ObservedState observed, boolean touched) {
            if (observed.checked == marks && observed.known || observed.gone()) {
                return;
            }
            if (observed.known && heapObserver != null && heapObserver.same(observed)) {
                observed.checked = marks;
                return;
            }
            long held = observed.now(graph);
            boolean whole = graph.whole();
            if (!observed.known) {
                value(observed, 'u', held);
            } else if (observed.value != held) {
                value(observed, 'v', held);
            } else if (!whole && touched) {
                value(observed, 'u', held);
            }
            observed.baseline(held);
            observed.checked = marks;
        }

        /**
         * The content of a state before and now, and the number of earlier segments that may also
         * have changed it.
         */
        private void value(ObservedState observed, char how, long held) {
            boolean always = observed.checked == 0 || (observed.flags & ObservedState.AMBIENT) != 0;
            int behind = how != 'v' || always ? 0 : marks - observed.checked - 1;
            values.u32(observed.index).u8(how).i64(observed.value).i64(held).u32(behind);
            valued++;
        }
    }
}
