package io.odfix.workbench;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Reads what a method does, by its instructions in the order of the code. Branches are not followed. */
final class CodeReader extends MethodVisitor {
  private static final Map<Class<?>, String> CONSTANTS = new HashMap<>();

  static {
    CONSTANTS.put(Integer.class, "I");
    CONSTANTS.put(Long.class, "J");
    CONSTANTS.put(Float.class, "F");
    CONSTANTS.put(Double.class, "D");
  }

  private final CompiledClass.Method m;
  /** Fields got so far. Each may be the object of a later call. */
  private final Set<String> got = new LinkedHashSet<>();
  private String last;
  /** The method whose result is on top of the stack, or null. */
  private String result;
  /** Source of the plain value on top of the stack, or null. */
  private String pushed;
  private String making;
  private final PlainArguments arguments = new PlainArguments();

  CodeReader(CompiledClass.Method m) {
    super(CompiledClass.API);
    this.m = m;
  }

  @Override
  public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
    m.annotated = m.annotated || descriptor.startsWith("Lorg/junit/") || descriptor.startsWith("Lorg/testng/");
    return null;
  }

  @Override
  public void visitFieldInsn(int opcode, String owner, String field, String descriptor) {
    String key = owner + "." + field;
    boolean initial = m.name.equals("<clinit>") && opcode == Opcodes.PUTSTATIC && owner.equals(m.owner.name);
    if (initial && m.owner.fields.containsKey(field)) {
      boolean number = pushed != null && pushed.matches("-?\\d+");
      m.owner.fields.get(field).first = number ? Constants.number(Integer.parseInt(pushed), descriptor) : pushed;
    }
    switch (opcode) {
      case Opcodes.PUTSTATIC:
        m.puts.add(key);
        keep(key);
        break;
      case Opcodes.PUTFIELD:
        m.sets.add(key);
        keep(key);
        used("put " + key);
        break;
      case Opcodes.GETSTATIC:
        m.gets.add(key);
        got.add(key);
        break;
      default:
        got.add(key);
    }
    pushed = opcode == Opcodes.GETSTATIC && descriptor.equals("L" + owner + ";") ? constant(owner, field) : null;
    if (pushed != null) {
      m.constants.put(pushed, descriptor);
    }
    boolean get = opcode == Opcodes.GETSTATIC || opcode == Opcodes.GETFIELD;
    last = get ? key : null;
    result = null;
    argument();
  }

  /** The source of a constant of an enum, or of a similar field; null if no source can name it. */
  private static String constant(String owner, String field) {
    boolean named = SourceNames.isType(owner) && SourceNames.isIdentifier(field);
    return named ? CompiledClass.sourceName(owner) + "." + field : null;
  }

  private void keep(String in) {
    if (last != null || result != null) {
      m.keeps.put(in, last != null ? last : result);
    }
  }

  private void used(String by) {
    for (String field : got) {
      m.used.computeIfAbsent(field, k -> new LinkedHashSet<>()).add(by);
    }
  }

  /** Whether the names do not contain the character at which a call's descriptor begins. */
  private static boolean divisible(String owner, String method) {
    return owner.indexOf('(') < 0 && method.indexOf('(') < 0;
  }

  @Override
  public void visitMethodInsn(int opcode, String owner, String method, String descriptor, boolean isInterface) {
    if (!divisible(owner, method)) {
      forget();
      arguments.clear();
      return;
    }
    String call = owner + "." + method + descriptor;
    m.calls.add(call);
    String plain = arguments.of(descriptor);
    arguments.clear();
    if (plain != null) {
      m.passes.computeIfAbsent(call, k -> new LinkedHashSet<>()).add(plain);
    }
    if (opcode != Opcodes.INVOKESTATIC && opcode != Opcodes.INVOKESPECIAL) {
      used(call);
    }
    for (String field : got) {
      m.handed.computeIfAbsent(field, k -> new LinkedHashSet<>()).add(call);
    }
    boolean made = making != null && opcode == Opcodes.INVOKESPECIAL && owner.equals(making) && descriptor.equals("()V");
    boolean boxed = method.equals("valueOf") && owner.startsWith("java/lang/") && pushed != null;
    pushed = made ? "new " + CompiledClass.sourceName(owner) + "()" : boxed ? pushed : null;
    making = null;
    boolean access = opcode == Opcodes.INVOKESTATIC && method.startsWith(CompiledClass.ACCESS);
    if (access) {
      got.add(call); // a field, which the accessor's own code names
    }
    last = access ? call : null;
    result = call;
  }

  @Override
  public void visitInvokeDynamicInsn(String method, String descriptor, Handle how, Object... with) {
    for (Object o : with) {
      Handle h = o instanceof Handle ? (Handle) o : null;
      if (h != null && divisible(h.getOwner(), h.getName())) {
        m.calls.add(h.getOwner() + "." + h.getName() + h.getDesc());
      }
    }
    forget();
    arguments.clear();
  }

  @Override
  public void visitLdcInsn(Object value) {
    if (value instanceof String) {
      m.strings.add((String) value);
    }
    push(Constants.text(value, null));
    argument();
    if (pushed != null && !(value instanceof String)) {
      m.constants.put(pushed, value instanceof Type ? "Ljava/lang/Class;" : CONSTANTS.get(value.getClass()));
    }
  }

  @Override
  public void visitIntInsn(int opcode, int operand) {
    push(opcode == Opcodes.NEWARRAY ? null : String.valueOf(operand));
    if (opcode == Opcodes.NEWARRAY) {
      arguments.array();
    } else {
      argument();
    }
    if (pushed != null) {
      m.constants.put(pushed, "I");
    }
  }

  @Override
  public void visitTypeInsn(int opcode, String type) {
    String cast = opcode == Opcodes.CHECKCAST ? result : null;
    forget();
    if (opcode == Opcodes.ANEWARRAY) {
      arguments.array();
    } else {
      arguments.clear();
    }
    result = cast;
    making = opcode == Opcodes.NEW && SourceNames.isType(type) ? type : null;
  }

  @Override
  public void visitInsn(int opcode) {
    if (opcode == Opcodes.DUP && making != null) {
      return;
    }
    if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.ARETURN && last != null) {
      m.gives = last;
    }
    push(Constants.of(opcode));
    boolean stores = opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE;
    if (stores) {
      arguments.element();
    } else if (opcode != Opcodes.DUP || !arguments.filling()) {
      argument();
    }
  }

  /** What was pushed last is an argument of the next call, if it is a plain value. */
  private void argument() {
    if (pushed == null) {
      arguments.clear();
    } else {
      arguments.push(pushed);
    }
  }

  private void push(String text) {
    forget();
    pushed = text;
  }

  private void forget() {
    last = null;
    result = null;
    pushed = null;
    making = null;
  }

  @Override
  public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
    forget();
    arguments.clear();
  }

  @Override
  public void visitVarInsn(int opcode, int variable) {
    forget();
    arguments.clear();
  }

  @Override
  public void visitJumpInsn(int opcode, Label label) {
    forget();
    arguments.clear();
  }
}
