package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
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
    final Thread thread;
    final Set<String> classes = new HashSet<String>();
    int depth;
    private final Ledger ledger;
    private final Sites sites;
    /** Entries that did not hold what they are remembered to hold when it began, and what they held. */
    private final Map<Ledger.Entry, Long> changed = new IdentityHashMap<Ledger.Entry, Long>();

    Birth(Thread thread, Ledger ledger, Sites sites) {
        this.thread = thread;
        this.ledger = ledger;
        this.sites = sites;
        for (Ledger.Entry e : ledger.all()) {
            if (!e.same()) {
                changed.put(e, e.print());
            }
        }
        if (!changed.isEmpty()) {
            sites.take(); // what is read from now on is told again
        }
    }

    /** The outermost initialiser is over. Answers why what it did depends on when it ran. */
    List<String> ends(Living living) {
        List<String> out = new ArrayList<String>();
        List<Ledger.Entry> adopted = new ArrayList<Ledger.Entry>();
        for (Ledger.Entry e : ledger.all()) {
            if (e.same()) {
                continue;
            }
            Long was = changed.get(e);
            if (e.lax) {
                if (was == null) {
                    adopted.add(e);
                }
            } else if (was == null || was != e.print()) {
                out.add("initialising " + classes + " changes " + e.name());
            }
        }
        for (Ledger.Entry e : adopted) {
            ledger.renew(e);
        }
        if (!changed.isEmpty()) {
            reads(living, out);
        }
        return out;
    }

    private void reads(Living living, List<String> out) {
        int[] touched = sites.take();
        for (int i = 0; i < touched.length; i += 2) {
            if ((touched[i + 1] & Sites.FIRST_READ) != 0) {
                Sites.Site site = sites.site(touched[i]);
                String why = depends(living, site);
                if (why != null) {
                    out.add("initialising " + classes + " reads " + why + ", which had changed");
                }
            }
        }
    }

    /** The name of what was read, where that had changed. */
    private String depends(Living living, Sites.Site site) {
        if (site.from == null) {
            String name = site.spot.name;
            boolean property = name.startsWith("system property ");
            boolean differs = property ? living.changed(name.substring("system property ".length())) : changedIn(name.substring(0, name.lastIndexOf('.')));
            return differs ? name : null;
        }
        try {
            Statics.Fld field = Resolve.field(site);
            if (field == null || field.owner() == null || classes.contains(field.owner().getName()) || field.constant(null)) {
                return null;
            }
            return changedIn(field.owner().getName()) || field.primitive() == null && reaches(field.held()) ? field.name : null;
        } catch (Throwable t) {
            return site.owner + "." + site.field;
        }
    }

    /** True where a static field of the class had changed. */
    private boolean changedIn(String type) {
        for (Ledger.Entry e : changed.keySet()) {
            if (e instanceof Fields && e.name().startsWith(type + ".")) {
                return true;
            }
        }
        return false;
    }

    private boolean reaches(Object from) {
        Set<Ledger.Entry> met = Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());
        List<Ledger.Entry> todo = new ArrayList<Ledger.Entry>();
        if (ledger.of(from) != null) {
            todo.add(ledger.of(from));
        }
        while (!todo.isEmpty()) {
            Ledger.Entry e = todo.remove(todo.size() - 1);
            if (changed.containsKey(e)) {
                return true;
            }
            for (Object o : e.refs()) {
                Ledger.Entry below = ledger.of(o);
                if (below != null && met.add(below)) {
                    todo.add(below);
                }
            }
        }
        return false;
    }
}
