package io.odfix.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether two captures differ, by common-roots isomorphism (Gyori et al., ISSTA 2015, section 3.3).
 * Both are walked at the same time from the roots that both have. Each path to something that
 * cannot be the same is reported. An object's identity does not matter, but objects that were
 * shared before must still be shared.
 */
final class Difference {
    /** The maximal number of changes for one root, and for one comparison. */
    private static final int MOST_OF_ROOT = 20;
    static final int MOST = 400;
    /** Characters of an access path. */
    private static final int LONGEST = 400;

    private final Snapshot a;
    private final Snapshot b;
    private final int[] partnerOfA;
    private final int[] partnerOfB;
    private final List<Change> changes = new ArrayList<Change>();

    // Pairs of nodes in the order of the walk, each with the pair and the edge that led to it.
    private int[] nodeA = new int[64];
    private int[] nodeB = new int[64];
    private int[] from = new int[64];
    private Object[] edge = new Object[64];
    private int pairs;
    private int done;

    private Root root;
    private int ofRoot;
    private Change otherwiseShared;
    /** The number of changes that were not reported. */
    private int omitted;

    private Difference(Snapshot a, Snapshot b) {
        this.a = a;
        this.b = b;
        partnerOfA = new int[a.nodes()];
        partnerOfB = new int[b.nodes()];
        Arrays.fill(partnerOfA, -1);
        Arrays.fill(partnerOfB, -1);
    }

    /** The differences below the roots that both captures have. */
    static List<Change> of(Snapshot a, Snapshot b, List<? extends Root> roots) {
        if (a.same(b)) {
            return Collections.emptyList();
        }
        Difference d = new Difference(a, b);
        for (Root root : roots) {
            if (a.has(root) && b.has(root) && d.changes.size() < MOST) {
                d.compare(root.number, root);
            }
        }
        return d.changes;
    }

    /** The differences below a root since its class was initialised. */
    static List<Change> sinceFirst(Root root, Snapshot b) {
        Difference d = new Difference(root.first, b);
        if (root.first.has(root.firstNumber) && b.has(root)) {
            d.compare(root.firstNumber, root);
        }
        return d.changes;
    }

    private void compare(int numberInA, Root of) {
        root = of;
        ofRoot = 0;
        omitted = 0;
        otherwiseShared = null;
        long before = a.held(numberInA);
        long now = b.held(root.number);
        Class<?> type = root.primitive();
        if (type == null) {
            codes(before, now, -1, "");
        } else if (before != now) {
            report(-1, "", ValueText.number(before, type), ValueText.number(now, type));
        }
        for (; done < pairs; done++) {
            visit(done);
        }
        if (ofRoot == 0 && otherwiseShared != null) {
            changes.add(otherwiseShared);
        }
        if (omitted > 0) {
            changes.add(new Change(root, root.name + " …", "…", omitted + " more changes below it"));
        }
    }

    private void report(int pair, Object at, String before, String now) {
        if (ofRoot >= MOST_OF_ROOT) {
            omitted++;
            return;
        }
        ofRoot++;
        changes.add(new Change(root, path(pair, at), before, now, pair < 0 ? -1 : nodeB[pair], at, holder(pair)));
    }

    /** The view through which the walk reached the pair, if any. */
    private int holder(int pair) {
        return pair >= 0 && from[pair] >= 0 && "".equals(edge[pair]) ? nodeB[from[pair]] : -1;
    }

    private void codes(long before, long now, int pair, Object at) {
        if (before == Snapshot.CUT || now == Snapshot.CUT) {
            return;
        }
        if (before <= 0 || now <= 0) {
            boolean same = before == now && before == Snapshot.NULL
                    || before < 0 && now < 0 && a.text(before).equals(b.text(now));
            if (!same) {
                report(pair, at, ValueText.of(a, before), ValueText.of(b, now));
            }
            return;
        }
        int x = (int) before - 1;
        int y = (int) now - 1;
        if (a.shape(x) != b.shape(y) || a.label(x) != null && !a.label(x).equals(b.label(y))) {
            report(pair, at, ValueText.of(a, before), ValueText.of(b, now));
        } else if (partnerOfA[x] < 0 && partnerOfB[y] < 0) {
            partnerOfA[x] = y;
            partnerOfB[y] = x;
            add(x, y, pair, at);
        } else if (partnerOfA[x] != y && otherwiseShared == null && !a.cut && !b.cut) {
            otherwiseShared = new Change(root, path(pair, at), ValueText.of(a, before), ValueText.of(b, now));
        }
    }

    private void add(int x, int y, int pair, Object at) {
        if (pairs == nodeA.length) {
            nodeA = Arrays.copyOf(nodeA, 2 * pairs);
            nodeB = Arrays.copyOf(nodeB, 2 * pairs);
            from = Arrays.copyOf(from, 2 * pairs);
            edge = Arrays.copyOf(edge, 2 * pairs);
        }
        nodeA[pairs] = x;
        nodeB[pairs] = y;
        from[pairs] = pair;
        edge[pairs++] = at;
    }

    private void visit(int pair) {
        int i = a.begins(nodeA[pair]);
        int j = b.begins(nodeB[pair]);
        if (i < 0 || j < 0) {
            return; // beyond the bounds
        }
        Shape shape = a.shape(nodeA[pair]);
        switch (shape.kind) {
            case OBJECTS:
                elements(pair, i, j);
                break;
            case NUMBERS:
                numbers(pair, i, j, PrimitiveArrays.type(shape.name));
                break;
            case THREAD_LOCAL:
                codes(a.at(i), b.at(j), pair, ".get()");
                break;
            default:
                fields(pair, i, j, shape);
        }
    }

    private void fields(int pair, int i, int j, Shape shape) {
        for (int k = 0; k < shape.prims.length; k++, i++, j++) {
            if (a.at(i) != b.at(j)) {
                report(pair, shape.primNames[k], ValueText.number(a.at(i), shape.types[k]), ValueText.number(b.at(j), shape.types[k]));
            }
        }
        for (int k = 0; k < shape.refs.length; k++, i++, j++) {
            codes(a.at(i), b.at(j), pair, shape.refNames[k]);
        }
        if (shape.content == null) {
            return;
        }
        boolean all = a.at(i) >= 0 && b.at(j) >= 0;
        int m = (int) (a.at(i) < 0 ? -1 - a.at(i) : a.at(i));
        int n = (int) (b.at(j) < 0 ? -1 - b.at(j) : b.at(j));
        if (shape.content.kind == CollectionContent.Kind.LIST) {
            list(pair, i + 1, m, j + 1, n, all);
        } else {
            entries(pair, i + 1, m, j + 1, n, all);
        }
    }

    private void elements(int pair, int i, int j) {
        int m = (int) a.at(i);
        int n = (int) b.at(j);
        if (m != n) {
            report(pair, ".length", Integer.toString(m), Integer.toString(n));
        }
        for (int k = 0; k < m && k < n; k++) {
            long before = a.at(i + 1 + k);
            long now = b.at(j + 1 + k);
            if (before == Snapshot.CUT || now == Snapshot.CUT) {
                return; // and all after it
            }
            codes(before, now, pair, k);
        }
    }

    private void numbers(int pair, int i, int j, Class<?> type) {
        int m = (int) a.at(i);
        int n = (int) b.at(j);
        if (m != n) {
            report(pair, ".length", Integer.toString(m), Integer.toString(n));
        } else if (m > HeapWalker.SHORT) {
            if (a.at(i + 1) != b.at(j + 1)) {
                report(pair, "[…]", "numbers", "other numbers");
            }
            return;
        }
        for (int k = 0; k < m && k < n && m <= HeapWalker.SHORT && n <= HeapWalker.SHORT; k++) {
            if (a.at(i + 1 + k) != b.at(j + 1 + k)) {
                report(pair, k, ValueText.number(a.at(i + 1 + k), type), ValueText.number(b.at(j + 1 + k), type));
            }
        }
    }

    private void list(int pair, int i, int m, int j, int n, boolean all) {
        for (int k = 0; k < m && k < n; k++) {
            codes(a.at(i + k), b.at(j + k), pair, k);
        }
        for (int k = n; all && k < m; k++) {
            report(pair, k, ValueText.of(a, a.at(i + k)), ValueText.ABSENT);
        }
        for (int k = m; all && k < n; k++) {
            report(pair, k, ValueText.ABSENT, ValueText.of(b, b.at(j + k)));
        }
    }

    /** Entries of maps, and elements of sets, by their keys. */
    private void entries(int pair, int i, int m, int j, int n, boolean all) {
        Map<Object, Integer> before = new HashMap<Object, Integer>();
        for (int k = 0; k < m; k++) {
            before.put(key(a, i + 3 * k), i + 3 * k);
        }
        List<Integer> fresh = new ArrayList<Integer>();
        for (int k = 0; k < n; k++) {
            int now = j + 3 * k;
            Integer was = before.remove(key(b, now));
            if (was == null) {
                fresh.add(now);
            } else {
                entry(pair, was, now);
            }
        }
        if (all) {
            loose(pair, before, fresh);
        }
    }

    private void entry(int pair, int was, int now) {
        Object label = new Label(b, b.at(now), false);
        if (b.at(now) > 0) {
            codes(a.at(was), b.at(now), pair, label);
        }
        codes(a.at(was + 2), b.at(now + 2), pair, label);
    }

    /**
     * Keys that are on one side only. Two keys of one class may be equal to the project, so they
     * are treated as one key.
     */
    private void loose(int pair, Map<Object, Integer> before, List<Integer> fresh) {
        List<Integer> gone = new ArrayList<Integer>(before.values());
        Collections.sort(gone);
        for (int now : fresh) {
            int like = b.at(now) > 0 ? like(gone, b.shape((int) b.at(now) - 1)) : -1;
            if (like >= 0) {
                entry(pair, gone.remove(like), now);
            } else {
                report(pair, new Label(b, b.at(now), false), ValueText.ABSENT, present(b, now));
            }
        }
        for (int was : gone) {
            report(pair, new Label(a, a.at(was), true), present(a, was), ValueText.ABSENT);
        }
    }

    private int like(List<Integer> some, Shape shape) {
        for (int k = 0; k < some.size(); k++) {
            long code = a.at(some.get(k));
            if (code > 0 && a.shape((int) code - 1) == shape) {
                return k;
            }
        }
        return -1;
    }

    private static String present(Snapshot in, int entry) {
        return in.at(entry + 2) == Snapshot.NULL ? "present" : ValueText.of(in, in.at(entry + 2));
    }

    private static Object key(Snapshot in, int entry) {
        long code = in.at(entry);
        long identity = in.at(entry + 1);
        if (code == Snapshot.NULL || code == Snapshot.CUT) {
            return code;
        }
        return identity > 0 ? (Object) identity : Arrays.asList(in.text(code).getClass(), in.text(code));
    }

    /** The key of an entry. It is converted to text only if a change is reported. */
    static final class Label {
        private final Snapshot in;
        final long code;
        /** It is one of the earlier capture. */
        final boolean old;

        Label(Snapshot in, long code, boolean old) {
            this.in = in;
            this.code = code;
            this.old = old;
        }

        @Override
        public String toString() {
            return ValueText.of(in, code);
        }
    }

    /** The access path from the root to an edge of a pair. */
    private String path(int pair, Object at) {
        List<Object> edges = new ArrayList<Object>();
        edges.add(at);
        for (int p = pair; p >= 0; p = from[p]) {
            edges.add(edge[p]);
        }
        StringBuilder out = new StringBuilder(root.name);
        for (int k = edges.size() - 1; k >= 0; k--) {
            Object e = edges.get(k);
            if (e instanceof Label && root.entries() && k == edges.size() - 2) {
                out.append(' ').append(e.toString().replace("\"", ""));
            } else if (e instanceof Label || e instanceof Integer) {
                out.append('[').append(e).append(']');
            } else {
                out.append(e);
            }
        }
        return out.length() <= LONGEST ? out.toString() : out.substring(0, LONGEST / 2) + "…" + out.substring(out.length() - LONGEST / 2);
    }
}
