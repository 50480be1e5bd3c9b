package app;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.Test;

public class SwitchesTest {
  private Supplier<String> supplier;
  private int[] numbers = {1, 2};

  @Test
  public void everything() throws Exception {
    final int constant = 4;
    int a = 1, b[] = {2, 3}, c;
    c = a + b.length;
    String[] words = {"x", "y"}, more[] = {{"z"}};
    List<? super Integer>[] lists = null;
    byte small = 1;
    char letter = 'c';
    long big = a;
    final List<Map<String, int[]>> generic = Collections.emptyList();
    List<String> diamond = new ArrayList<>();
    Supplier<Integer> lambda = () -> a + diamond.size();
    final String late;
    late = "late" + a;
    Runnable r = new Runnable() {
      private int count = constant;

      @Override
      public void run() {
        count += lambda.get();
        Registry.getInstance().add(late + count);
      }
    };
    r.run();
    int twice;
    twice = 1;
    twice = 2;
    switch (a) {
      case constant:
        Registry.getInstance().add("never");
        break;
      default:
        Registry.getInstance().reset();
    }
    class Local {
      int v = a;
    }
    Local l = new Local();
    l.v++;
    supplier = () -> "s" + numbers.length;
    Registry.getInstance().add(supplier.get() + words[0] + more[0][0] + lists + small + letter + big + generic + c
        + twice);
    @SuppressWarnings("unchecked")
    List<String> cast = (List<String>) (Object) diamond;
    cast.add("w");
    outer:
    for (String w : words) {
      for (char ch : w.toCharArray()) {
        if (ch == letter) {
          continue outer;
        }
        Registry.getInstance().add(w);
      }
    }
    while (a < 0) {
      break;
    }
  }
}
