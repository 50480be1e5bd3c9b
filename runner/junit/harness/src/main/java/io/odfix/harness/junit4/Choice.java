package io.odfix.harness.junit4;

import io.odfix.harness.order.Node;
import io.odfix.harness.order.Refused;
import io.odfix.harness.order.Tree;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.manipulation.Sortable;
import org.junit.runner.manipulation.Sorter;

/** Changes a runner so that it has only the tests of one visit, in the order of the visit. */
final class Choice {
    private Choice() {}

    /**
     * Prunes and reorders the runner below {@code root} to {@code visit}.
     *
     * @return the visit's tests, as nodes of the changed runner's tree
     * @throws Refused if the runner cannot be changed like this
     */
    static List<Node> apply(Runner runner, Node root, List<Node> visit) throws Refused {
        if (Tree.isWhole(root, visit)) {
            return visit; // the runner stays unchanged, also a custom runner
        }
        Node tree = root;
        List<Node> wanted = visit;
        if (visit.size() < root.tests().size() && filter(runner, visit)) {
            tree = new RunnerTree(root.name).root(runner);
            Tree.number(tree);
            wanted = Tree.same(visit, tree);
            if (wanted == null) {
                throw refuse(runner, visit);
            }
        }
        if (!Tree.arrange(tree, wanted)) {
            sort(runner, visit, names(wanted));
        }
        return wanted;
    }

    /**
     * Sorts a runner whose children cannot be set. Afterwards its description must list exactly the
     * names, in this order.
     */
    private static void sort(Runner runner, List<Node> visit, List<String> names) throws Refused {
        if (!names.equals(Names.tests(runner.getDescription())) && runner instanceof Sortable) {
            new Sorter(byRank(names)).apply(runner);
        }
        if (!names.equals(Names.tests(runner.getDescription()))) {
            throw refuse(runner, visit);
        }
    }

    private static Refused refuse(Runner runner, List<Node> visit) {
        List<String> ids = new ArrayList<String>();
        for (Node test : visit) {
            ids.add(test.name);
        }
        return new Refused("the runner " + runner.getClass().getName()
                + " cannot be made to run these tests alone and in this order", ids);
    }

    private static List<String> names(List<Node> visit) {
        List<String> names = new ArrayList<String>();
        for (Node test : visit) {
            names.addAll(Names.tests((Description) test.description));
        }
        return names;
    }

    /**
     * Filters the runner, so that it knows that some of its tests do not run. Some runners
     * (Mockito's strict runner) check more when all tests run. A JUnit 3 suite is not filtered,
     * since filtering replaces its class by a plain suite. PowerMock's runner is not filtered,
     * since its description still lists all tests afterwards.
     */
    private static boolean filter(Runner runner, List<Node> visit) {
        if (!(runner instanceof Filterable) || runner instanceof JUnit38ClassRunner || PowerMock.is(runner)) {
            return false;
        }
        try {
            ((Filterable) runner).filter(new Only(names(visit)));
            return true;
        } catch (NoTestsRemainException e) {
            return false;
        }
    }

    private static final class Only extends Filter {
        private final java.util.Set<String> names;

        Only(List<String> names) {
            this.names = new java.util.HashSet<String>(names);
        }

        @Override
        public boolean shouldRun(Description description) {
            if (names.contains(description.getDisplayName())) {
                return true;
            }
            for (Description child : description.getChildren()) {
                if (shouldRun(child)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public String describe() {
            return "the tests of this visit";
        }
    }

    private static Comparator<Description> byRank(List<String> names) {
        final Map<String, Integer> rank = new HashMap<String, Integer>();
        for (String name : names) {
            if (!rank.containsKey(name)) {
                rank.put(name, rank.size());
            }
        }
        return new Comparator<Description>() {
            @Override
            public int compare(Description a, Description b) {
                return Integer.compare(least(a), least(b));
            }

            private int least(Description d) {
                Integer own = rank.get(d.getDisplayName());
                int least = own == null ? Integer.MAX_VALUE : own;
                for (Description child : d.getChildren()) {
                    least = Math.min(least, least(child));
                }
                return least;
            }
        };
    }
}
