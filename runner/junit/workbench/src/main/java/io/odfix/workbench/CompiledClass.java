package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** One compiled class: its members, and how each method's code uses fields. */
final class CompiledClass {
  static final int API = Opcodes.ASM9;
  /** The newest class files that ASM reads. Newer ones are read as if they were of this version. */
  private static final int NEWEST = Opcodes.V27;
  static final String ACCESS = "access$";

  /** A field or method; names of classes are internal ones throughout. */
  abstract static class Member {
    final CompiledClass owner;
    final String name;
    final String descriptor;
    final int access;
    /**
     * A field: by an annotation that exists at run time, so that a framework may fill it. A method:
     * by one of JUnit or TestNG.
     */
    boolean annotated;

    Member(CompiledClass owner, String name, String descriptor, int access) {
      this.owner = owner;
      this.name = name;
      this.descriptor = descriptor;
      this.access = access;
    }

    boolean isStatic() {
      return Modifier.isStatic(access);
    }
  }

  /** A field, and the value from its class's initialiser. */
  static final class Field extends Member {
    /** The first value as source with full names. Null if it is not a plain value. */
    String first;
    /** The literal of a constant of type String, else null. */
    String constant;
    /** Its type as source, arguments included; null if it has type variables or no arguments. */
    String generic;

    Field(CompiledClass owner, String name, String descriptor, int access) {
      super(owner, name, descriptor, access);
    }

    boolean isFinal() {
      return Modifier.isFinal(access);
    }

    String key() {
      return owner.name + "." + name;
    }
  }

  /** A method, and the data read from its code. */
  static final class Method extends Member {
    /** Static fields that it puts. */
    final Set<String> puts = new LinkedHashSet<>();
    /** Static fields that it gets. */
    final Set<String> gets = new LinkedHashSet<>();
    /** Fields of instances that it puts. */
    final Set<String> sets = new LinkedHashSet<>();
    /** Methods that it calls, as owner.name+descriptor. */
    final Set<String> calls = new LinkedHashSet<>();
    /** Static and instance fields that it got before it called something, by the called method. */
    final Map<String, Set<String>> used = new HashMap<>();
    /** The same for all calls to which such a field may have been passed. */
    final Map<String, Set<String>> handed = new HashMap<>();
    /**
     * Fields in which it keeps the value of another field or the result of a call: the field or method,
     * by the field that keeps it.
     */
    final Map<String, String> keeps = new HashMap<>();
    /** Plain arguments that it passes, as source in parentheses, by the called method. */
    final Map<String, Set<String>> passes = new HashMap<>();
    /** Strings that it mentions. */
    final Set<String> strings = new LinkedHashSet<>();
    /**
     * Numbers, classes and constants of enums that it mentions, as source, with the descriptor of
     * their type.
     */
    final Map<String, String> constants = new LinkedHashMap<>();
    /** The field whose value it returns, got directly before the return. */
    String gives;

    Method(CompiledClass owner, String name, String descriptor, int access) {
      super(owner, name, descriptor, access);
    }

    boolean constructs() {
      return name.equals("<init>");
    }

    String key() {
      return owner.name + "." + name + descriptor;
    }

    /** Adds the accesses to a field by an accessor that it calls. */
    void takeOver(Method accessor) {
      String call = accessor.key();
      puts.addAll(accessor.puts);
      gets.addAll(accessor.gets);
      sets.addAll(accessor.sets);
      if (call.equals(gives)) {
        gives = accessor.gives;
      }
      for (Map<String, Set<String>> by : java.util.Arrays.asList(used, handed)) {
        Set<String> then = by.remove(call);
        if (then != null && accessor.gives != null) {
          by.computeIfAbsent(accessor.gives, k -> new LinkedHashSet<>()).addAll(then);
        }
      }
    }
  }

  String name;
  String parent;
  int access;
  /** The class around a nested one, or null. */
  String outer;
  boolean anonymous;
  boolean inner;
  final List<String> interfaces = new ArrayList<>();
  /** Member classes by their simple names. */
  final Map<String, String> nested = new LinkedHashMap<>();
  final Map<String, Field> fields = new LinkedHashMap<>();
  final List<Method> methods = new ArrayList<>();
  /**
   * Methods that the compiler made for classes around or inside this one, to reach its private
   * members.
   */
  final List<Method> accessors = new ArrayList<>();
  /** Whether it is in a folder, as the project's own classes are, and not in a jar. */
  boolean own;

  private CompiledClass() {}

  /** Reads a class file; damaged ones give null. */
  static CompiledClass read(byte[] bytes) {
    return read(bytes, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  /** As {@link #read(byte[])}, but without the code of its methods. */
  static CompiledClass readMembers(byte[] bytes) {
    return read(bytes, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
  }

  private static CompiledClass read(byte[] bytes, int skip) {
    CompiledClass c = new CompiledClass();
    try {
      byte[] readable = bytes;
      if (((bytes[6] & 0xff) << 8 | bytes[7] & 0xff) > NEWEST) {
        readable = bytes.clone();
        readable[6] = (byte) (NEWEST >> 8);
        readable[7] = (byte) NEWEST;
      }
      new ClassReader(readable).accept(c.new Reader(), skip);
      return c;
    } catch (RuntimeException e) {
      return null; // damaged
    }
  }

  String pkg() {
    int at = name.lastIndexOf('/');
    return at < 0 ? "" : name.substring(0, at).replace('/', '.');
  }

  String source() {
    return sourceName(name);
  }

  /** The name by which source code calls a class. {@link SourceNames#isType} tells whether it can. */
  static String sourceName(String internal) {
    return internal.replace('/', '.').replace('$', '.');
  }

  private final class Reader extends ClassVisitor {
    Reader() {
      super(API);
    }

    @Override
    public void visit(int version, int flags, String self, String signature, String extended, String[] implemented) {
      name = self;
      parent = extended;
      access = callable(SourceNames.isType(self), flags);
      Collections.addAll(interfaces, implemented == null ? new String[0] : implemented);
    }

    @Override
    public void visitInnerClass(String self, String around, String simple, int flags) {
      if (self.equals(name)) {
        access = callable(SourceNames.isType(self), flags);
        outer = around;
        anonymous = simple == null || around == null;
        inner = !Modifier.isStatic(flags);
      } else if (name.equals(around) && simple != null) {
        nested.put(simple, self);
      }
    }

    @Override
    public FieldVisitor visitField(int flags, String field, String descriptor, String signature, Object value) {
      if (!SourceNames.isIdentifier(field) || !SourceNames.isDescriptor(descriptor)) {
        return null; // no statement can name it
      }
      Field f = new Field(CompiledClass.this, field, descriptor, flags);
      f.first = value == null ? zero(descriptor) : Constants.text(value, descriptor);
      f.constant = value instanceof String ? f.first : null;
      f.generic = Generics.source(signature);
      fields.put(field, f);
      return new FieldVisitor(API) {
        @Override
        public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
          f.annotated = f.annotated || visible;
          return null;
        }
      };
    }

    @Override
    public MethodVisitor visitMethod(int flags, String method, String descriptor, String signature, String[] thrown) {
      boolean special = method.equals("<init>") || method.equals("<clinit>");
      boolean named = (special || SourceNames.isIdentifier(method)) && SourceNames.isDescriptor(descriptor);
      Method m = new Method(CompiledClass.this, method, descriptor, callable(named, flags));
      if ((flags & Opcodes.ACC_SYNTHETIC) == 0 || method.startsWith("lambda$")) {
        methods.add(m);
      } else if (method.startsWith(ACCESS)) {
        accessors.add(m);
      }
      return new CodeReader(m);
    }
  }

  /**
   * What no source can name is like something private. Its code still counts, because methods that
   * source can name may call it.
   */
  private static int callable(boolean named, int flags) {
    return named ? flags : flags & ~(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED) | Opcodes.ACC_PRIVATE;
  }

  static String zero(String descriptor) {
    switch (descriptor.charAt(0)) {
      case 'Z':
        return "false";
      case 'C':
        return "'\\0'";
      case 'B': case 'S': case 'I':
        return "0";
      case 'J':
        return "0L";
      case 'F':
        return "0f";
      case 'D':
        return "0.0";
      default:
        return "null";
    }
  }
}
