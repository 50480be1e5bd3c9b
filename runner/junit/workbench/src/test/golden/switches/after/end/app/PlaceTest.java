package app;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.Test;

public class PlaceTest {
  @Test
  public void place() throws Exception {
    int a = 3;
    Registry.getInstance().add("a" + a);
    Supplier<String> supplier;
    int[] numbers;
    if (io.odfix.harness.Switch.on(1)) {
      numbers = new int[] {1, 2};
    } else {
      numbers = null;
    }
    final int constant = 4;
    int a2 = 1;
    int[] b;
    if (io.odfix.harness.Switch.on(3)) {
      b = new int[] {2, 3};
    } else {
      b = null;
    }
    int c;
    if (io.odfix.harness.Switch.on(4)) {
      c = a2 + b.length;
    } else {
      c = 0;
    }
    String[] words;
    if (io.odfix.harness.Switch.on(5)) {
      words = new String[] {"x", "y"};
    } else {
      words = null;
    }
    String[][] more;
    if (io.odfix.harness.Switch.on(5)) {
      more = new String[][] {{"z"}};
    } else {
      more = null;
    }
    List<? super Integer>[] lists = null;
    byte small = 1;
    char letter = 'c';
    long big;
    if (io.odfix.harness.Switch.on(9)) {
      big = a2;
    } else {
      big = 0;
    }
    final List<Map<String, int[]>> generic;
    if (io.odfix.harness.Switch.on(10)) {
      generic = Collections.emptyList();
    } else {
      generic = null;
    }
    List<String> diamond;
    if (io.odfix.harness.Switch.on(11)) {
      diamond = new ArrayList<>();
    } else {
      diamond = null;
    }
    Supplier<Integer> lambda;
    if (io.odfix.harness.Switch.on(12)) {
      lambda = () -> a2 + diamond.size();
    } else {
      lambda = null;
    }
    final String late;
    if (io.odfix.harness.Switch.on(14)) {
      late = "late" + a2;
    } else {
      late = null;
    }
    Runnable r;
    if (io.odfix.harness.Switch.on(15)) {
      r = new Runnable() {
        private int count = constant;

        @Override
        public void run() {
          count += lambda.get();
          Registry.getInstance().add(late + count);
        }
      };
    } else {
      r = null;
    }
    if (io.odfix.harness.Switch.on(16)) {
      r.run();
    }
    int twice = 0;
    if (io.odfix.harness.Switch.on(18)) {
      twice = 1;
    }
    if (io.odfix.harness.Switch.on(19)) {
      twice = 2;
    }
    if (io.odfix.harness.Switch.on(20)) {
      switch (a2) {
        case constant:
          Registry.getInstance().add("never");
          break;
        default:
          Registry.getInstance().reset();
      }
    }
    class Local {
      int v = a2;
    }
    Local l;
    if (io.odfix.harness.Switch.on(22)) {
      l = new Local();
    } else {
      l = null;
    }
    if (io.odfix.harness.Switch.on(23)) {
      l.v++;
    }
    if (io.odfix.harness.Switch.on(24)) {
      supplier = () -> "s" + numbers.length;
    } else {
      supplier = null;
    }
    if (io.odfix.harness.Switch.on(25)) {
      Registry.getInstance().add(supplier.get() + words[0] + more[0][0] + lists + small + letter + big + generic + c
          + twice);
    }
    @SuppressWarnings("unchecked")
    List<String> cast;
    if (io.odfix.harness.Switch.on(26)) {
      cast = (List<String>) (Object) diamond;
    } else {
      cast = null;
    }
    if (io.odfix.harness.Switch.on(27)) {
      cast.add("w");
    }
    if (io.odfix.harness.Switch.on(28)) {
      outer:
      for (String w : words) {
        for (char ch : w.toCharArray()) {
          if (ch == letter) {
            continue outer;
          }
          Registry.getInstance().add(w);
        }
      }
    }
    if (io.odfix.harness.Switch.on(29)) {
      while (a2 < 0) {
        break;
      }
    }
  }
}
