package io.odfix.workbench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The protocol: one JSON object a line, with the field names used here. The Go client has the same
 * names.
 */
final class Api {
  private Api() {}

  /** The place of the sources and of the other classes. */
  static class Project {
    List<String> sourceRoots;
    String encoding;
    List<String> classPath;
    /**
     * Statements that come from no helper. In this case the helper is {@link
     * io.odfix.workbench.Made#HELPER}.
     */
    Made made;
  }

  /** Java text with full names. */
  static final class Made {
    /** Declarations of fields with their values, without modifiers. */
    List<String> fields;
    List<String> statements;
    /**
     * Instead of statements: static fields (a.b.C.f) of the target's class that become fields of
     * its instances.
     */
    List<String> unshare;
    /** Or names of annotation classes, for the class of the target's test. */
    List<String> annotate;
  }

  static final class ResetsRequest extends Project {
    /** A static field: a.b.C.f. A path below it may follow. */
    String place;
    /** The tests in whose classes statements may be placed; their literals serve as arguments. */
    List<String> tests;
    int limit;
    /**
     * The field lacks state instead of holding polluted state: methods that set it up come first.
     */
    boolean sets;
    /** The known differences in the field and below it. */
    List<Change> changes = new ArrayList<>();
    /** Statements that use reflection are requested, too. */
    boolean reflection;
  }

  /** One difference on the heap, as the state agent describes it. */
  static final class Change {
    String path;
    String before;
    String after;
  }

  static final class ClosingRequest extends Project {
    /** The tests whose classes may have left something open. */
    List<String> tests;
  }

  /** Asks which methods change state of the whole process. */
  static final class WritersRequest extends Project {}

  static final class Writers {
    final List<ProcessStateWriter> methods = new ArrayList<>();
  }

  /** A method that does so itself or through calls. */
  static final class ProcessStateWriter {
    /** The binary name of its class. */
    String type;
    String method;
    int calls;
  }

  static final class Reset {
    /** Declarations of fields that save the state before the test; usually none. */
    List<String> fields = new ArrayList<>();
    /** Statements that must come before it; usually none. */
    List<String> lead = new ArrayList<>();
    String statement;
    /** A lower number means likelier. */
    int price;
    /** assignment, contents, method, constructor, saved, reflection or ending. */
    String kind;
    /**
     * The static field that a closing statement restores; null: a field of the test's own instance,
     * or none.
     */
    String place;
  }

  static final class Resets {
    /** Whether the place is a static field of a class on the class path. */
    boolean known;
    /** Its name in source. */
    String field;
    /**
     * The statement that restores it in a method of its own class, as its author would write it.
     * Null if it would not be simple.
     */
    String body;
    List<Reset> candidates = new ArrayList<>();
    /** Their number without the limit. */
    int found;
  }

  static class ScriptRequest extends Project {
    List<String> helpers;
    /**
     * A test of the class into which statements will be placed. Statements whose effect its
     * instance shares are then not needed.
     */
    String target;
  }

  static final class Statement {
    String id;
    String role;
    String text;
    String file;
    int line;
    List<String> declares = new ArrayList<>();
    List<String> needs = new ArrayList<>();
    List<Statement> inner = new ArrayList<>();
    boolean assertion;
    /** Contains a return: it cannot be moved into another method. */
    boolean returns;
    /** Not rendered where the target shares the helper's instance. */
    boolean shared;
  }

  static final class Script {
    List<Statement> statements = new ArrayList<>();
  }

  static final class Place {
    String kind;
    String test;
    /** Further tests of the same file that get the same statements; null: none. */
    List<String> also;
    /** Whether it is in the class that declares the test, and not in one that inherits it. No part of a request. */
    transient boolean declaring;

    /** The place at another test alone. */
    Place at(String other) {
      Place p = new Place();
      p.kind = kind;
      p.test = other;
      p.declaring = declaring;
      return p;
    }
  }

  static class RenderRequest extends Project {
    List<String> helpers;
    List<String> keep;
    boolean switched;
    /** Adds the statements that the kept ones need to compile. */
    boolean close;
    Place place;
    String style;
    /** A line comment above the statements; may be empty. */
    String comment;
    /** Name of a new method; empty: the workbench chooses one. */
    String method;
  }

  static final class File {
    String path;
    String text;
    /** The bytes to write, base64: the file's own encoding and byte order mark. */
    String data;
  }

  static final class Note {
    String statement;
    String code;
    String message;

    Note(String statement, String code, String message) {
      this.statement = statement;
      this.code = code;
      this.message = message;
    }
  }

  /** One-based lines of a statement in a changed file. */
  static final class Span {
    String statement;
    String file;
    int line;
    int endLine;

    Span(String statement, String file, int line, int endLine) {
      this.statement = statement;
      this.file = file;
      this.line = line;
      this.endLine = endLine;
    }
  }

  static class Rendered {
    List<File> files = new ArrayList<>();
    /** The statements as the patch shows them, in order. */
    List<String> statements = new ArrayList<>();
    /** The statements kept in the end, including those that others need. */
    List<String> kept = new ArrayList<>();
    List<Note> unswitchable = new ArrayList<>();
    /** The reasons why there is no text: one note for each obstacle. */
    List<Note> problems = new ArrayList<>();
    List<Span> spans = new ArrayList<>();
    /** Name of the new method, if any. */
    String method;
    /** The method at the place, "setUp()" or the new one's name. */
    String into;
  }

  static final class CompileRequest {
    Map<String, String> files = new LinkedHashMap<>();
    Options options = new Options();
    String outDir;
  }

  static final class Options {
    List<String> classPath;
    List<String> processorPath;
    List<String> args;
  }

  static final class Diagnostic {
    String kind;
    String file;
    long line;
    String code;
    String message;
  }

  static final class Compiled {
    boolean ok;
    List<Diagnostic> diagnostics = new ArrayList<>();
    /** Checked exception types that nothing handles. */
    List<String> unreported = new ArrayList<>();
  }

  static final class AttemptRequest extends RenderRequest {
    Options options = new Options();
    String outDir;
  }

  static final class Attempted {
    boolean ok;
    Rendered rendered;
    Compiled compiled;
    List<String> extraThrows = new ArrayList<>();
    /** The reason: a code ("compile", or a problem's) and a sentence. Empty if ok. */
    String code;
    String reason;
    /**
     * The statements that do not fit at the target or do not compile there, if that is known.
     */
    List<String> culprits = new ArrayList<>();
  }

  static final class OutlineRequest extends Project {
    /** The binary name of a class. */
    String type;
  }

  static final class Outline {
    String file;
    List<OutlineType> types = new ArrayList<>();
  }

  static final class OutlineType {
    String name;
    int line;
    String framework;
    List<OutlineMethod> methods = new ArrayList<>();
  }

  static final class OutlineMethod {
    String name;
    int line;
    int endLine;
    String role;
  }
}
