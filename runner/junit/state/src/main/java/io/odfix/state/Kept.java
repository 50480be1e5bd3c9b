package io.odfix.state;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * What initialisers left behind in a process that answers one order after the other, and what the present order has to do with it. A class that an
 * earlier order initialised is not initialised again, so that two things must hold of a later one: it reads nothing that such an initialiser added to,
 * and changes nothing that one read.
 */
final class Kept {
    private final Ledger ledger;
    private final Sites sites;
    /** What initialisers of earlier orders, and of the present one, added to. */
    private final Set<Ledger.Entry> before = identities();
    private final Set<Ledger.Entry> now = identities();
    /** What they read. */
    private final Set<Integer> readBefore = new HashSet<Integer>();
    private final Set<Integer> readNow = new HashSet<Integer>();
    /** Places that the present order has read and written, initialisers apart. */
    private final Set<Integer> reads = new HashSet<Integer>();
    private final Set<Integer> writes = new HashSet<Integer>();

    Kept(Ledger ledger, Sites sites) {
        this.ledger = ledger;
        this.sites = sites;
    }

    private static Set<Ledger.Entry> identities() {
        return Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());
    }

    /** An initialiser added to the entry, which keeps that. */
    void keep(Ledger.Entry entry) {
        now.add(entry);
    }

    /** The initialiser of this class read these places. Its own fields are no matter: where it runs anew, it fills them anew. */
    Set<Integer> read(String initialised, Set<Integer> places) {
        Set<Integer> others = new HashSet<Integer>();
        for (Integer place : places) {
            if (!sites.site(place).owner.replace('/', '.').equals(initialised)) {
                others.add(place);
            }
        }
        readNow.addAll(others);
        return others;
    }

    /** Takes what was touched since the last call. Answers what initialisers read of it. */
    Set<Integer> take() {
        Set<Integer> first = new HashSet<Integer>();
        int[] touched = sites.take();
        for (int i = 0; i < touched.length; i += 2) {
            add(first, touched, i, Sites.FIRST_READ);
            add(reads, touched, i, Sites.READ);
            add(writes, touched, i, Sites.WRITE);
        }
        return first;
    }

    private static void add(Set<Integer> to, int[] touched, int i, int bit) {
        if ((touched[i + 1] & bit) != 0) {
            to.add(touched[i]);
        }
    }

    /** The order is over, and what it changed not yet put back: why an answer in a fresh process might be another one, or null. */
    String problem(Living living) {
        take();
        if (!before.isEmpty()) {
            Reach added = added(before, living);
            String why = leads(reads, added, " was read, to which the initialiser of a class had added in an earlier order");
            why = why != null ? why : leads(readNow, added, " was read by an initialiser, and another one had added to it in an earlier order");
            if (why != null) {
                return why;
            }
        }
        return changed(living);
    }

    private String changed(Living living) {
        for (Integer place : writes) {
            if (readBefore.contains(place)) {
                return name(place) + " was set, which the initialiser of a class had read in an earlier order";
            }
        }
        Set<Ledger.Entry> changed = identities();
        for (Ledger.Entry e : ledger.all()) {
            if (!e.same()) {
                changed.add(e);
            }
        }
        return leads(readBefore, new Reach(ledger, living, changed, true), " has changed, which the initialiser of a class had read in an earlier order");
    }

    private String leads(Set<Integer> places, Reach reach, String why) {
        for (Integer place : places) {
            String name = reach.leads(sites.site(place), Collections.<String>emptySet());
            if (name != null) {
                return name + why;
            }
        }
        return null;
    }

    private String name(int place) {
        Sites.Site site = sites.site(place);
        return site.from == null ? site.spot.name : site.owner.replace('/', '.') + "." + site.field;
    }

    /** What leads to something that initialisers of the present order added to. */
    Reach added(Living living) {
        return added(now, living);
    }

    private Reach added(Set<Ledger.Entry> to, Living living) {
        return new Reach(ledger, living, to, false);
    }

    /** From here on another order runs. */
    void next() {
        sites.take(); // of what put things back
        before.addAll(now);
        readBefore.addAll(readNow);
        now.clear();
        readNow.clear();
        reads.clear();
        writes.clear();
    }
}
