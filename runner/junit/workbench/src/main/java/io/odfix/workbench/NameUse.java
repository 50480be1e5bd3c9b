package io.odfix.workbench;

/** One occurrence of a simple name in a file, and its meaning there. */
final class NameUse {
  /** What a name may mean. */
  enum Kind {
    /** A local variable, parameter or local class: {@link #local}. */
    LOCAL,
    /** The place where {@link #local} is declared. */
    DECLARES,
    /** A field of the enclosing or an inherited class, unqualified or after "this.". */
    FIELD,
    /** A method of the enclosing or an inherited class, likewise. */
    METHOD,
    /** A class by its simple name. */
    TYPE,
    /** A statically imported field or method of {@link #owner}. */
    STATIC,
    /** "this", as a value or because an inner class is made. */
    THIS,
    /** "super". */
    SUPER,
    /** Not resolved: a package, or something inherited from a class that is not available. */
    UNKNOWN
  }

  /** A name declared inside a method. */
  static final class Local {
    final String name;
    final int at;
    /**
     * Declared by a compound statement's head (loop, catch, lambda, parameter), not by a statement.
     */
    final boolean header;

    Local(String name, int at, boolean header) {
      this.name = name;
      this.at = at;
      this.header = header;
    }
  }

  final Kind kind;
  final String name;
  /** Offsets of the text that the name covers, "this." included. */
  final int start;
  final int end;
  Local local;
  TypeInfo owner;
  TypeInfo.Member member;
  TypeInfo type;
  boolean write;
  boolean viaThis;
  /** A method or anything else called like one. */
  boolean call;
  /** "case X:" takes the bare name only. */
  boolean bareOnly;

  NameUse(Kind kind, String name, int start, int end) {
    this.kind = kind;
    this.name = name;
    this.start = start;
    this.end = end;
  }

  boolean isStatic() {
    return member != null && member.isStatic();
  }
}
