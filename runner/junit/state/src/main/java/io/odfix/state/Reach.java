package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Whether places that code touches lead to any of some entries of a {@link Ledger}, as these are remembered. */
final class Reach {
    private final Ledger ledger;
    private final Living living;
    private final Set<Ledger.Entry> targets;
    private final boolean properties;
    /** Entries that lead to none of them. */
    private final Set<Ledger.Entry> clean = Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());

    /** @param properties whether system properties that are not what they were are looked for, too */
    Reach(Ledger ledger, Living living, Set<Ledger.Entry> targets, boolean properties) {
        this.ledger = ledger;
        this.properties = properties;
        this.living = living;
        this.targets = targets;
    }

    /** The name of the place, where it leads to one of them, or is a system property that is not what it was. */
    String leads(Sites.Site site, Set<String> but) {
        if (site.from == null) {
            String name = site.spot.name;
            boolean property = name.startsWith("system property ");
            boolean leads = property ? properties && living.changed(name.substring("system property ".length())) : isOne(name);
            return leads ? name : null;
        }
        try {
            Statics.Fld field = Resolve.field(site);
            if (field == null || field.owner() == null || but.contains(field.owner().getName()) || field.constant(null)) {
                return null;
            }
            return isOne(field.name) || field.primitive() == null && from(field.held()) ? field.name : null;
        } catch (Throwable t) {
            return site.owner + "." + site.field;
        }
    }

    /** True where the static field is one of them, and does not hold what it held. */
    private boolean isOne(String field) {
        for (Ledger.Entry e : targets) {
            if (e instanceof Fields && ((Fields) e).differs(field)) {
                return true;
            }
        }
        return false;
    }

    /** True where the object is one of them, or leads to one. */
    boolean from(Object from) {
        List<Ledger.Entry> todo = new ArrayList<Ledger.Entry>();
        Set<Ledger.Entry> met = Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());
        add(from, met, todo);
        while (!todo.isEmpty()) {
            Ledger.Entry e = todo.remove(todo.size() - 1);
            if (targets.contains(e)) {
                return true;
            }
            for (Object o : e.refs()) {
                add(o, met, todo);
            }
        }
        clean.addAll(met);
        return false;
    }

    private void add(Object o, Set<Ledger.Entry> met, List<Ledger.Entry> todo) {
        Ledger.Entry e = ledger.of(o);
        if (e != null && !clean.contains(e) && met.add(e)) {
            todo.add(e);
        }
    }
}
