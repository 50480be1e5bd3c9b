package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Type;

/**
 * The plain values that code has pushed since it last did something else: the arguments of the next call,
 * if it has no others. Values in a new array count one by one, as those of a method with variable arguments.
 */
final class PlainArguments {
  private final List<String> pushed = new ArrayList<>();
  /** The number of values before the array, or -1 if none is being filled. */
  private int before = -1;
  /** The length of the array, as source. */
  private String length;

  void clear() {
    pushed.clear();
    before = -1;
  }

  void push(String source) {
    pushed.add(source);
  }

  /** A new array: its length was pushed last. */
  void array() {
    if (pushed.isEmpty() || before >= 0) {
      clear();
      return;
    }
    length = pushed.remove(pushed.size() - 1);
    before = pushed.size();
  }

  /** A value was put into the array. Its index was pushed before it. */
  void element() {
    if (before < 0 || pushed.size() < before + 2) {
      clear();
      return;
    }
    pushed.remove(pushed.size() - 2);
  }

  boolean filling() {
    return before >= 0;
  }

  /** The arguments of a call as source, or null if they are not known. */
  String of(String descriptor) {
    Type[] parameters = Type.getArgumentTypes(descriptor);
    int last = parameters.length - 1;
    boolean array = last >= 0 && parameters[last].getSort() == Type.ARRAY;
    int first = before >= 0 ? before - last : pushed.size() - parameters.length;
    if (last < 0 || first < 0 || array != before >= 0) {
      return null;
    }
    if (array && !String.valueOf(pushed.size() - before).equals(length)) {
      return null; // not all elements are plain
    }
    List<String> out = new ArrayList<>();
    for (int i = first; i < pushed.size(); i++) {
      Type p = i - first < last || !array ? parameters[i - first] : parameters[last].getElementType();
      if (p.getSort() == Type.BYTE || p.getSort() == Type.SHORT) {
        return null; // a plain number needs a cast
      }
      boolean number = pushed.get(i).matches("-?\\d+");
      out.add(number ? Constants.number(Integer.parseInt(pushed.get(i)), p.getDescriptor()) : pushed.get(i));
    }
    return "(" + String.join(", ", out) + ")";
  }
}
