package io.odfix.state;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks by another way than the {@link Ledger}'s whether state is as it was: captures of what static fields of the project and its
 * libraries lead to are compared. What one of them overlooks the other one may see.
 */
final class Check {
    private static final int MOST = 5;

    private final Camera camera = new Camera(new Identities());
    private final List<Root> roots = new ArrayList<Root>();
    private final Map<Class<?>, Boolean> known = new IdentityHashMap<Class<?>, Boolean>();
    private Snapshot last;
    private Object kept;

    void begin(Set<Class<?>> classes) {
        add(classes);
        shoot();
    }

    private void shoot() {
        last = camera.shoot(roots, Camera.MOST, last);
        kept = last.film.kept();
    }

    private void add(Set<Class<?>> classes) {
        for (Class<?> c : classes) {
            if (Resolve.ofJdk(c) || Known.leftOut(c.getName().replace('.', '/')) || known.put(c, true) != null) {
                continue;
            }
            for (Statics.Fld field : Statics.of(c).fields.values()) {
                if (!field.constant(null)) {
                    Root root = new Roots.Field(field);
                    root.number = roots.size();
                    roots.add(root);
                }
            }
        }
    }

    /** What differs from the last time, of classes that were known then. @param kept what is meant to differ */
    List<String> differences(Set<Class<?>> classes, Reach kept) {
        List<String> out = new ArrayList<String>();
        int before = roots.size();
        add(classes);
        if (before == roots.size() && kept != null && last.film.same(last, roots)) {
            return out;
        }
        Snapshot was = last;
        shoot();
        for (Change c : Difference.of(was, last, roots)) {
            if (out.size() < MOST && (c.root.primitive() != null || !kept.from(c.root.held()))) {
                out.add(c.path);
            }
        }
        return out;
    }
}
