package state;

import java.util.ArrayList;
import java.util.List;

/** Loaded by two class loaders. */
public class Lonely {
    static int count;

    public static int count() {
        return ++count;
    }
}

/** As the other one, with an initialiser. */
class LonelyNames {
    static final List<String> NAMES = new ArrayList<>();
    static String first;

    static {
        NAMES.add("first");
        first = NAMES.get(0);
    }

    public static String names() {
        return first + NAMES;
    }

    public static void add() {
        NAMES.add("added");
        first = "changed";
    }
}
