package io.odfix.workbench;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.signature.SignatureReader;
import org.objectweb.asm.signature.SignatureVisitor;

/** A generic type of a class file as source, names in full. */
final class Generics extends SignatureVisitor {
  private final StringBuilder out;
  /** Set if source cannot hold the type: it has a type variable, or a name that is none. */
  private final boolean[] unfit;
  private int arguments;
  private int dims;

  private Generics(StringBuilder out, boolean[] unfit) {
    super(Opcodes.ASM9);
    this.out = out;
    this.unfit = unfit;
  }

  /** Null if there is no signature, source cannot hold the type, or the signature is damaged. */
  static String source(String signature) {
    if (signature == null) {
      return null;
    }
    StringBuilder out = new StringBuilder();
    boolean[] unfit = new boolean[1];
    try {
      new SignatureReader(signature).acceptType(new Generics(out, unfit));
    } catch (RuntimeException e) {
      return null;
    }
    return unfit[0] ? null : out.toString();
  }

  @Override
  public void visitBaseType(char descriptor) {
    out.append(org.objectweb.asm.Type.getType(String.valueOf(descriptor)).getClassName());
    brackets();
  }

  @Override
  public void visitTypeVariable(String name) {
    unfit[0] = true;
  }

  @Override
  public SignatureVisitor visitArrayType() {
    dims++;
    return this;
  }

  @Override
  public void visitClassType(String name) {
    unfit[0] |= !SourceNames.isType(name);
    out.append(CompiledClass.sourceName(name));
  }

  @Override
  public void visitInnerClassType(String name) {
    close();
    unfit[0] |= !SourceNames.isIdentifier(name);
    out.append('.').append(name);
  }

  @Override
  public void visitTypeArgument() {
    separate();
    out.append('?');
  }

  @Override
  public SignatureVisitor visitTypeArgument(char wildcard) {
    separate();
    out.append(wildcard == EXTENDS ? "? extends " : wildcard == SUPER ? "? super " : "");
    return new Generics(out, unfit);
  }

  @Override
  public void visitEnd() {
    close();
    brackets();
  }

  private void separate() {
    out.append(arguments++ == 0 ? "<" : ", ");
  }

  private void close() {
    if (arguments > 0) {
      out.append('>');
    }
    arguments = 0;
  }

  private void brackets() {
    for (; dims > 0; dims--) {
      out.append("[]");
    }
  }
}
