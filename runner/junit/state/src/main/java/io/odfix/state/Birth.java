package io.odfix.state;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The initialisation of a class and of those that it initialises: what of the remembered state had changed when it began, what
 * it read of that, and what it changed. See {@link Living} for why.
 */
final class Birth {
    /** Entries of the ledger that are looked at in the time of one file. */
    private static final int ENTRIES_OF_FILE = 100;

    final Thread thread;
    final Set<String> classes = new HashSet<String>();
    /** What was read by each of the initialisers that have begun, and by those that have ended. */
    private final Deque<Set<Integer>> reading = new ArrayDeque<Set<Integer>>();
    private final Set<Integer> read = new HashSet<Integer>();
    private final Ledger ledger;
    private final Kept kept;
    private final Temporary temporary;
    private final Set<Path> files;
    /** How many entries there were. */
    private final int known;
    /** Entries that did not hold what they are remembered to hold when it began, and what they held. */
    private final Map<Ledger.Entry, Long> changed = new IdentityHashMap<Ledger.Entry, Long>();

    Birth(Thread thread, Ledger ledger, Kept kept, Temporary temporary) {
        this.thread = thread;
        this.ledger = ledger;
        this.kept = kept;
        this.temporary = temporary;
        files = temporary.names();
        known = ledger.all().size();
        for (Ledger.Entry e : ledger.all()) {
            if (!e.same()) {
                changed.put(e, e.print());
            }
        }
    }

    /** How much was looked at: a file counts as many entries. */
    long weight() {
        return known + (long) ENTRIES_OF_FILE * files.size();
    }

    /** An initialiser begins. */
    void enter() {
        Set<Integer> before = kept.take(); // what is read from now on is told again
        if (!reading.isEmpty()) {
            reading.peek().addAll(before);
        }
        reading.push(new HashSet<Integer>());
    }

    /** The one that began last ends. True where it was the first. */
    boolean leave(String name) {
        Set<Integer> mine = reading.pop();
        mine.addAll(kept.take());
        read.addAll(kept.read(name, mine));
        return reading.isEmpty();
    }

    /** The outermost initialiser is over. Answers why what it did depends on when it ran. */
    List<String> ends(Living living) {
        List<String> out = new ArrayList<String>();
        List<Ledger.Entry> adopted = new ArrayList<Ledger.Entry>();
        int at = 0;
        for (Ledger.Entry e : ledger.all()) {
            boolean own = at++ >= known; // of a class that came meanwhile
            if (e.same()) {
                continue;
            }
            Long was = changed.get(e);
            if (was == null && (own || e.lax || living.mayKeep(e, classes))) {
                adopted.add(e);
                if (!own && !e.lax) {
                    kept.keep(e);
                }
            } else if (!e.lax && (was == null || was != e.print())) {
                out.add("initialising " + classes + " changes " + e.name());
            }
        }
        if (!files.containsAll(temporary.names())) {
            out.add("initialising " + classes + " made temporary files");
        }
        for (Ledger.Entry e : adopted) {
            ledger.renew(e);
        }
        if (!changed.isEmpty()) {
            Reach reach = new Reach(ledger, living, changed.keySet(), true);
            for (Integer place : read) {
                String why = reach.leads(living.site(place), classes);
                if (why != null) {
                    out.add("initialising " + classes + " reads " + why + ", which had changed");
                }
            }
        }
        return out;
    }
}
