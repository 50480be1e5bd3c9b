package io.odfix.state;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Turns what was touched between two marks, and what is found changed at the second, into frames.
 * What was touched is always looked at; all else that was ever touched in turn, as time allows,
 * since objects can be changed through references that were taken earlier.
 */
final class Tracer {
    /** The most objects of one walk. */
    private static final int CAP = 20000;
    /** Nanoseconds for the spots that the segment touched, and for all others. */
    private static final long TOUCHED = 100L * 1000 * 1000;
    private static final long OTHERS = 4L * 1000 * 1000;
    /**
     * Where the heap is looked at, all others get that part of the segment's own time: only what is
     * no root is among them.
     */
    private static final int SHARE = 50;
    private static final int MOST_NOTES = 100;
    /** Bytes of a segment; the protocol's frames may be a little longer. */
    private static final int LONGEST = 15 << 20;

    private final Sites sites;
    private final Ambient ambient;
    /** Null where only places are told. */
    private final HeapObserver deep;
    private final Instrumentation instrumentation;
    private final Graph graph = new Graph(CAP);
    private final ReentrantLock walking = new ReentrantLock();
    private final List<ObservedState> told = new ArrayList<ObservedState>();
    private final List<byte[]> frames = new ArrayList<byte[]>();
    private int turn;
    private int marks;
    private long marked = System.nanoTime();
    private int notes;
    private volatile Restore restore;

    Tracer(Sites sites, Ambient ambient, HeapObserver deep, Instrumentation instrumentation) {
        this.sites = sites;
        this.ambient = ambient;
        this.deep = deep;
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
     * Remembers what the fields of a class hold when it is new, where nobody else is looking just
     * now.
     */
    void begun(Class<?> c) {
        if (restores()) {
            remember(c);
            return;
        }
        if (deep != null) {
            if (!deep.roots().mayHold(c.getName().replace('.', '/'))) {
                return; // it is no root, and no code that is woven tells of it
            }
            deep.roots().arrives(c);
        }
        if (walking.isHeldByCurrentThread() || !walking.tryLock()) {
            return;
        }
        try {
            Statics statics = Statics.of(c);
            if (deep != null) {
                deep.begun(c, statics);
            }
            for (Statics.Fld field : statics.fields.values()) {
                if (!field.known && !field.constant(graph)) {
                    field.baseline(field.now(graph));
                    field.known = graph.whole();
                    field.checked = marks;
                }
            }
        } catch (Throwable t) {
            note("what " + c.getName() + " holds when it is new cannot be told: " + t);
        } finally {
            walking.unlock();
        }
    }

    byte[][] mark(char kind, long position) {
        if (restores()) {
            return new byte[0][];
        }
        if (deep != null && !deep.began()) {
            deep.begin();
        }
        int[] touched = sites.take();
        walking.lock();
        try {
            if (touched.length > 0 || kind == 't' || deep != null && !deep.began()) {
                marks++;
                if (deep != null) {
                    deep.look(touched);
                }
                new Segment().tell(kind, position, touched);
                if (deep != null) {
                    add(deep.told(kind, position));
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

    /** Remembers the places, to be put back by {@link #restore}. */
    void remember(List<String> places) {
        walking.lock();
        try {
            restore = new Restore(places, graph, instrumentation, sites);
        } finally {
            walking.unlock();
        }
    }

    /**
     * A copy of a class with remembered places is new. One that is missed, while others are looked
     * at, cannot be put back, and says so.
     */
    private void remember(Class<?> c) {
        if (!restore.remembers(c.getName()) || !walking.tryLock()) {
            return;
        }
        try {
            restore.begun(c);
        } finally {
            walking.unlock();
        }
    }

    /** True of a class, by its name, with places that are remembered. */
    boolean remembers(String name) {
        return restore.remembers(name);
    }

    /** Nobody hears of segments any more: places are remembered, and will be put back. */
    boolean restores() {
        return restore != null;
    }

    /** Puts back what was remembered, and tells how that went. */
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
            note("a segment of the run is too large to be told");
            return;
        }
        synchronized (frames) {
            frames.add(frame);
        }
    }

    /** Makes the spot known to the reader. */
    private void announce(ObservedState spot) {
        if (spot.index < 0) {
            spot.index = told.size();
            told.add(spot);
            synchronized (frames) {
                frames.add(new Bytes('l').u32(spot.index).str(spot.name).u8(spot.flags).done());
            }
        }
    }

    /** What a place stands for, or null where it is not observed, or cannot be told yet. */
    private ObservedState resolve(Sites.Site site) {
        if (site.spot != null || site.dead) {
            return site.spot;
        }
        try {
            Statics.Fld found = FieldResolver.field(site);
            if (found == null) {
                site.dead = true;
                return null;
            }
            if (found.gone()) {
                return null; // touched before its class was initialised, which then failed
            }
            if (found.constant(graph)) {
                site.dead = true;
                return null;
            }
            if (!found.known && FieldResolver.beginsUnset(sites, site, found)) {
                found.baseline(found.unset(graph));
            }
            site.spot = found;
        } catch (Throwable t) {
            site.dead = true;
            note(site.owner + "." + site.field + " cannot be looked at: " + t);
        }
        return site.spot;
    }

    /** One segment's frame. */
    private final class Segment {
        private final Bytes[] lists = {new Bytes(' '), new Bytes(' '), new Bytes(' '), new Bytes(' ')};
        private final int[] counts = new int[lists.length];
        private final Bytes values = new Bytes(' ');
        private int valued;

        void tell(char kind, long position, int[] touched) {
            List<ObservedState> seen = new ArrayList<ObservedState>();
            for (int i = 0; i < touched.length; i += 2) {
                ObservedState spot = resolve(sites.site(touched[i]));
                if (spot == null || deep != null && deep.roots().isSignal(touched[i])) {
                    continue;
                }
                announce(spot);
                seen.add(spot);
                if (deep != null && (touched[i + 1] & (Sites.WRITE | Sites.FIRST_WRITE)) != 0) {
                    deep.wrote(spot, sites.writer(touched[i]));
                }
                for (int bit = 0; bit < lists.length; bit++) {
                    if ((touched[i + 1] >> bit & 1) != 0) {
                        lists[bit].u32(spot.index);
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
            for (ObservedState spot : seen) {
                if (System.nanoTime() < end) {
                    look(spot, true);
                } else {
                    value(spot, 'u', spot.value);
                }
            }
            if (deep != null) {
                also(end);
            }
            for (ObservedState spot : ambient.changed(deep != null && deep.still())) {
                announce(spot);
                look(spot, true);
            }
            long now = System.nanoTime();
            end = now + (deep == null ? OTHERS : Math.min(OTHERS, (now - marked) / SHARE));
            for (int i = 0; i < told.size() && System.nanoTime() < end; i++) {
                turn = turn + 1 < told.size() ? turn + 1 : 0;
                look(told.get(turn), false);
            }
        }

        /**
         * What changed below one field is told at once of the others that lead to it, though nobody
         * touched them.
         */
        private void also(long end) {
            for (ObservedState spot : deep.also()) {
                announce(spot);
                if (System.nanoTime() < end) {
                    look(spot, true);
                } else {
                    value(spot, 'u', spot.value);
                }
            }
        }

        private void look(ObservedState spot, boolean touched) {
            if (spot.checked == marks && spot.known || spot.gone()) {
                return;
            }
            if (spot.known && deep != null && deep.same(spot)) {
                spot.checked = marks;
                return;
            }
            long held = spot.now(graph);
            boolean whole = graph.whole();
            if (!spot.known) {
                value(spot, 'u', held);
            } else if (spot.value != held) {
                value(spot, 'v', held);
            } else if (!whole && touched) {
                value(spot, 'u', held);
            }
            spot.baseline(held);
            spot.checked = marks;
        }

        /**
         * What a spot held before and holds now, and how many segments in front of this one may
         * have changed it, too.
         */
        private void value(ObservedState spot, char how, long held) {
            boolean always = spot.checked == 0 || (spot.flags & ObservedState.AMBIENT) != 0;
            int behind = how != 'v' || always ? 0 : marks - spot.checked - 1;
            values.u32(spot.index).u8(how).i64(spot.value).i64(held).u32(behind);
            valued++;
        }
    }
}
