package state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Static state of the shapes that projects have. */
public class Shapes {
    /** Changed through getstatic only. */
    static final Map<String, List<String>> REGISTRY = new HashMap<>();

    /** Not what anybody could change. */
    static final String NAME = new StringBuilder("name").toString();
    static final int NUMBER = NAME.length();
    static final Object NOTHING = null;

    static int plain;
    static int putAtFirst;
    static double real;
    static Object[] array = {new int[] {1, 2, 3}, null};
    static final ThreadLocal<List<String>> LOCAL = ThreadLocal.withInitial(ArrayList::new);
    static volatile Thread started;

    enum Single {
        INSTANCE;
        int state;
    }

    interface Constants {
        List<String> SHARED = new ArrayList<>();
    }

    static class Inherits extends Shapes implements Constants {}

    /** Remembers what it found when it came first. */
    static class Captured {
        static final String PROPERTY = System.getProperty("state.captured", "none");
        static List<String> log = new ArrayList<>(List(PROPERTY));

        static {
            REGISTRY.put("captured", new ArrayList<>());
            putAtFirst = 7;
        }

        private static List<String> List(String s) {
            List<String> out = new ArrayList<>();
            out.add(s + plain);
            return out;
        }
    }

    static class Failing {
        static int value = 1;

        static {
            if (plain >= 0) {
                throw new IllegalStateException("the initialiser fails");
            }
        }
    }

    static class ByReflection {
        static String text = "before";
    }

    static class Huge {
        static Object graph = chain(100000);

        private static Object chain(int length) {
            Object[] last = {null};
            for (int i = 0; i < length; i++) {
                last = new Object[] {last};
            }
            return last;
        }
    }

    static final Locale ORIGINAL = Locale.getDefault();
}
