package io.odfix.workbench;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The little that name resolution needs of a class file: its supertypes and the names, flags and
 * parameter counts of its members (JVM specification, chapter 4). Reading it is cheaper and safer
 * than loading the class.
 */
final class ClassFile {
  private static final int STATIC = 0x0008;

  private ClassFile() {}

  static TypeInfo read(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    if (in.readInt() != 0xCAFEBABE) {
      throw new IOException("not a class file");
    }
    in.readInt();
    Object[] pool = pool(in);
    int access = in.readUnsignedShort();
    String self = dotted(pool, in.readUnsignedShort());
    String parent = dotted(pool, in.readUnsignedShort());
    TypeInfo t = new TypeInfo(self, access);
    t.superName = parent;
    for (int n = in.readUnsignedShort(); n > 0; n--) {
      t.interfaces.add(dotted(pool, in.readUnsignedShort()));
    }
    members(in, pool, t, true);
    members(in, pool, t, false);
    attributes(in, pool, t);
    return t;
  }

  private static void members(DataInputStream in, Object[] pool, TypeInfo t, boolean fields) throws IOException {
    for (int n = in.readUnsignedShort(); n > 0; n--) {
      int flags = in.readUnsignedShort();
      String name = (String) pool[in.readUnsignedShort()];
      String descriptor = (String) pool[in.readUnsignedShort()];
      for (int a = in.readUnsignedShort(); a > 0; a--) {
        in.readUnsignedShort();
        in.skipBytes(in.readInt());
      }
      boolean synthetic = (flags & 0x1000) != 0;
      if (synthetic) {
        continue;
      }
      if (fields) {
        t.fields.put(name, new TypeInfo.Member(name, flags, 0, false));
      } else {
        t.addMethod(new TypeInfo.Member(name, flags, count(descriptor), (flags & 0x0080) != 0));
      }
    }
  }

  /** InnerClasses tells which nested types there are and whether this one is static. */
  private static void attributes(DataInputStream in, Object[] pool, TypeInfo t) throws IOException {
    for (int n = in.readUnsignedShort(); n > 0; n--) {
      String name = (String) pool[in.readUnsignedShort()];
      int length = in.readInt();
      if (!"InnerClasses".equals(name)) {
        in.skipBytes(length);
        continue;
      }
      for (int c = in.readUnsignedShort(); c > 0; c--) {
        String inner = dotted(pool, in.readUnsignedShort());
        String outer = dotted(pool, in.readUnsignedShort());
        int simple = in.readUnsignedShort();
        int flags = in.readUnsignedShort();
        if (outer == null || simple == 0) {
          continue;
        }
        if (inner.equals(t.binary)) {
          t.outer = outer;
          t.flags = flags;
        } else if (outer.equals(t.binary)) {
          t.nested.put((String) pool[simple], inner);
        }
      }
    }
    t.isStatic = t.outer == null || (t.flags & STATIC) != 0;
  }

  private static Object[] pool(DataInputStream in) throws IOException {
    int size = in.readUnsignedShort();
    Object[] pool = new Object[size];
    Map<Integer, Integer> classes = new LinkedHashMap<>();
    for (int i = 1; i < size; i++) {
      int tag = in.readUnsignedByte();
      switch (tag) {
        case 1:
          pool[i] = in.readUTF();
          break;
        case 7:
          classes.put(i, in.readUnsignedShort());
          break;
        case 8: case 16: case 19: case 20:
          in.skipBytes(2);
          break;
        case 15:
          in.skipBytes(3);
          break;
        case 5: case 6:
          in.skipBytes(8);
          i++;
          break;
        default:
          in.skipBytes(4);
      }
    }
    classes.forEach((at, name) -> pool[at] = pool[name]);
    return pool;
  }

  private static String dotted(Object[] pool, int index) {
    return index == 0 ? null : ((String) pool[index]).replace('/', '.');
  }

  private static int count(String descriptor) {
    int n = 0;
    for (int i = 1; descriptor.charAt(i) != ')'; i++, n++) {
      while (descriptor.charAt(i) == '[') {
        i++;
      }
      if (descriptor.charAt(i) == 'L') {
        i = descriptor.indexOf(';', i);
      }
    }
    return n;
  }
}
