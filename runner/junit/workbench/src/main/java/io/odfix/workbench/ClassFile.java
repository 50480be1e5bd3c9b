package io.odfix.workbench;

import java.io.IOException;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Class files, as ASM reads them. Reading one is cheaper and safer than loading the class. */
final class ClassFile {
  /** The newest class files that ASM reads. Newer ones are read as if they were of this version. */
  private static final int NEWEST = Opcodes.V27;

  private ClassFile() {}

  /** A reader of a class file of any version. */
  static ClassReader reader(byte[] bytes) {
    if (bytes.length < 8 || major(bytes) <= NEWEST) {
      return new ClassReader(bytes);
    }
    byte[] readable = bytes.clone();
    readable[6] = (byte) (NEWEST >> 8);
    readable[7] = (byte) NEWEST;
    return new ClassReader(readable);
  }

  private static int major(byte[] bytes) {
    return (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
  }

  /** What name resolution needs of a class: its supertypes, members and nested types. */
  static TypeInfo read(byte[] bytes) throws IOException {
    Names names = new Names();
    try {
      reader(bytes).accept(names, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    } catch (RuntimeException e) {
      throw new IOException("not a class file", e);
    }
    return names.type;
  }

  private static final class Names extends ClassVisitor {
    TypeInfo type;

    Names() {
      super(Opcodes.ASM9);
    }

    @Override
    public void visit(int version, int flags, String self, String signature, String parent, String[] interfaces) {
      type = new TypeInfo(dotted(self), flags);
      type.superName = parent == null ? null : dotted(parent);
      for (String name : interfaces) {
        type.interfaces.add(dotted(name));
      }
    }

    @Override
    public void visitInnerClass(String inner, String outer, String simple, int flags) {
      if (outer == null || simple == null) {
        return; // a local or an anonymous class
      }
      if (dotted(inner).equals(type.binary)) {
        type.outer = dotted(outer);
        type.flags = flags;
        type.isStatic = (flags & Opcodes.ACC_STATIC) != 0;
      } else if (dotted(outer).equals(type.binary)) {
        type.nested.put(simple, dotted(inner));
      }
    }

    @Override
    public FieldVisitor visitField(int flags, String name, String descriptor, String signature, Object value) {
      if ((flags & Opcodes.ACC_SYNTHETIC) == 0) {
        type.fields.put(name, new TypeInfo.Member(name, flags, 0, false));
      }
      return null;
    }

    @Override
    public MethodVisitor visitMethod(int flags, String name, String descriptor, String signature, String[] thrown) {
      if ((flags & Opcodes.ACC_SYNTHETIC) == 0) {
        int params = Type.getArgumentTypes(descriptor).length;
        type.addMethod(new TypeInfo.Member(name, flags, params, (flags & Opcodes.ACC_VARARGS) != 0));
      }
      return null;
    }

    private static String dotted(String internal) {
      return internal.replace('/', '.');
    }
  }
}
