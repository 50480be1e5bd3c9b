package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts chosen statements of helper tests at a place in the test sources: the patches of
 * iFixFlakies (Shi et al., section 3.2, figures 7 and 8), written as a maintainer would.
 */
final class Renderer {
  private final Types types;
  private final Api.RenderRequest request;
  private final Api.Rendered out = new Api.Rendered();
  private final Map<Path, FileEdit> files = new LinkedHashMap<>();
  private final Map<Path, List<Map<ScriptStatement, List<String>>>> written = new LinkedHashMap<>();

  /** Checked exceptions that the method at the place must declare. */
  private final List<String> extraThrows;
  /** Whether the statements need a new field. */
  private boolean fields;

  private Renderer(Types types, Api.RenderRequest request, List<String> extraThrows) {
    this.types = types;
    this.request = request;
    this.extraThrows = extraThrows;
  }

  static Api.Rendered render(Types types, Api.RenderRequest request) {
    return render(types, request, new ArrayList<>());
  }

  static Api.Rendered render(Types types, Api.RenderRequest request, List<String> extraThrows) {
    if (Made.unshares(request.made)) {
      Made.checkKept(request.keep, request.made.unshare);
      return Unsharing.render(types, request);
    }
    if (Made.annotates(request.made)) {
      Made.checkKept(request.keep, request.made.annotate);
      return Annotating.render(types, request);
    }
    Renderer r = new Renderer(types, request, extraThrows);
    r.run();
    return r.out;
  }

  private void run() {
    List<ScriptStatement> script = ScriptBuilder.build(types, request.helpers);
    boolean inline = request.style == null || request.style.isEmpty() || request.style.equals("inline");
    if (!inline && !request.style.equals("method")) {
      throw new Problem("bad-style", "unknown style \"" + request.style + "\"; use inline or method");
    }
    Placement first = place(request.place);
    put(script, first, inline);
    Set<String> placed = new HashSet<>(Collections.singleton(first.type.binary));
    List<String> statements = new ArrayList<>(out.statements);
    String into = out.into;
    for (String other : request.place.also == null ? new ArrayList<String>() : request.place.also) {
      if (!inline || fields) {
        throw new Problem("several", "the statements need a method or a field, and cannot be in several tests of a file");
      }
      Placement more = place(request.place.at(other));
      if (placed.add(more.type.binary) || !request.place.declaring) {
        put(script, more, true);
      }
    }
    out.statements.clear();
    out.statements.addAll(statements);
    out.into = into;
    if (!out.problems.isEmpty()) {
      return;
    }
    files.forEach((path, e) -> {
      Api.File done = e.finish();
      out.files.add(done);
      Set<Integer> used = new HashSet<>();
      written.getOrDefault(path, new ArrayList<>()).forEach(w -> out.spans.addAll(Spans.find(done, w, used)));
    });
  }

  private Placement place(Api.Place at) {
    return new Placement(types, at, !SourceLevel.beforeJava5(request));
  }

  /** Adds the kept statements at one place. */
  private void put(List<ScriptStatement> script, Placement place, boolean inline) {
    KeptStatements keep = new KeptStatements(script, request.keep, request.switched, request.close, inline ? place.scope() : null);
    out.kept = keep.ids();
    if (keep.roots().stream().flatMap(s -> s.uses.stream()).anyMatch(place::needsOwn)) {
      throw new Problem("own", "a statement uses what the test's own class has, and not " + place.type.simple());
    }
    place.choose(inline ? keep.roots() : new ArrayList<>());
    out.into = place.into();
    Target target = place.target();
    List<String> lines = inline ? inline(keep, target, file(place.type.source)) : methods(keep, place);
    if (!out.problems.isEmpty()) {
      return;
    }
    if (lines.isEmpty()) {
      throw new Problem("nothing", "nothing of what was kept has any effect at " + request.place.kind + " of "
          + request.place.test + ": its class runs it already");
    }
    lines.addAll(0, comment());
    FileEdit f = file(place.type.source);
    out.into = place.insert(f, lines, exceptions(f, place.lexical));
  }

  private FileEdit file(Source s) {
    return files.computeIfAbsent(s.path, p -> new FileEdit(s));
  }

  private List<String> comment() {
    List<String> lines = new ArrayList<>();
    if (request.comment != null && !request.comment.trim().isEmpty()) {
      for (String l : request.comment.trim().split("\\R")) {
        lines.add("// " + l.trim());
      }
    }
    return lines;
  }

  private List<String> exceptions(FileEdit f, Lexical at) {
    List<String> names = new ArrayList<>();
    for (String e : extraThrows) {
      TypeInfo t = types.canonical(e);
      names.add(t == null ? e : f.imports.reference(at, t, false));
    }
    return names;
  }

  private List<String> inline(KeptStatements keep, Target target, FileEdit file) {
    List<ScriptStatement> kept = keep.roots();
    for (ScriptStatement s : kept) {
      if (s.returns) {
        out.problems.add(new Api.Note(s.id, "return", "`" + Writer.shortened(s)
            + "` returns: put into another method it would end that method"));
      }
    }
    return write(keep, kept, target, file);
  }

  private List<String> write(KeptStatements keep, List<ScriptStatement> kept, Target target, FileEdit file) {
    Mover mover = new Mover(target, file.imports);
    Writer writer = new Writer(mover, Indent.unit(target.lexical.self), keep);
    List<String> lines = writer.write(kept);
    NewMethod home = new NewMethod(types, target.lexical.self);
    List<List<String>> newFields = writer.newFields();
    newFields.forEach(f -> home.field(file.edits, f));
    fields = fields || !newFields.isEmpty();
    if (request.made != null) {
      newFields.forEach(f -> out.statements.add(String.join("\n", f)));
    }
    written.computeIfAbsent(file.source.path, p -> new ArrayList<>()).add(writer.written);
    writer.written.values().forEach(l -> out.statements.add(String.join("\n", l).replace(Indent.VERBATIM, "")));
    out.unswitchable.addAll(writer.unswitchable);
    out.problems.addAll(writer.problems);
    return lines;
  }

  // Style "method": code that only the helper's class may run stays in the helper's class.

  private List<String> methods(KeptStatements keep, Placement place) {
    Map<String, List<ScriptStatement>> byHelper = new LinkedHashMap<>();
    for (ScriptStatement s : keep.roots()) {
      byHelper.computeIfAbsent(TestId.parse(s.helper).type, k -> new ArrayList<>()).add(s);
    }
    List<String> calls = new ArrayList<>();
    byHelper.forEach((type, kept) -> {
      String call = method(keep, types.editable(type), kept, place);
      if (call != null) {
        calls.add(call);
      }
    });
    return calls;
  }

  private String method(KeptStatements keep, TypeInfo home, List<ScriptStatement> kept, Placement place) {
    if (Made.is(home)) {
      throw new Problem("made", "there is no helper whose class could hold the statements");
    }
    if (kept.size() == 1 && callable(kept.get(0), place) && !request.switched) {
      String call = kept.get(0).text();
      if (!same(kept, home, place)) {
        call = instance(home, file(place.type.source).imports.reference(place.lexical, home, false), place) + "." + call;
      }
      out.statements.add(call);
      return call;
    }
    NewMethod fresh = new NewMethod(types, home);
    FileEdit file = file(home.source);
    Lexical lexical = new Lexical(types, home.source, home);
    List<String> lines = write(keep, kept, new Target(lexical, null, false), file);
    if (lines.isEmpty()) {
      return null;
    }
    String name = fresh.freeName(file, request.method == null || request.method.isEmpty() ? "restoreSharedState"
        : request.method);
    boolean sameInstance = same(kept, home, place);
    boolean isStatic = kept.stream().noneMatch(s -> s.uses.stream().anyMatch(Renderer::needsInstance));
    boolean samePackage = home.pkg().equals(place.lexical.pkg());
    boolean sameTop = home.top().equals(place.type.top());
    String visibility = sameTop && place.type.binary.equals(home.binary) ? "private " : samePackage ? "" : "public ";
    fresh.insert(file.edits, null, "", visibility + (isStatic && (home.isStatic || home.outer == null) ? "static " : "")
        + "void " + name + "()", exceptions(file, lexical), lines);
    out.method = home.canonical() + "." + name;
    if (sameInstance) {
      return name + "();";
    }
    String type = file(place.type.source).imports.reference(place.lexical, home, false);
    return (isStatic && home.isStatic ? type : instance(home, type, place)) + "." + name + "();";
  }

  /** Whether the statements do the same on the instance at the place as on one of the helper's class. */
  private boolean same(List<ScriptStatement> kept, TypeInfo home, Placement place) {
    TypeInfo self = place.target().heir(home);
    return self != null && kept.stream().flatMap(s -> s.uses.stream()).allMatch(
        u -> u.kind != NameUse.Kind.METHOD || u.member == null || Dispatch.differs(types, home, self, u) == null);
  }

  /** Whether it calls a method that needs no other one around it to be called from the place. */
  private static boolean callable(ScriptStatement s, Placement place) {
    return s.form == ScriptStatement.Form.CALL && s.uses.stream().allMatch(u -> Modifier.isPublic(u.member.flags)
        || !u.member.isPrivate() && u.owner.pkg().equals(place.lexical.pkg()));
  }

  private static boolean needsInstance(NameUse u) {
    return u.kind == NameUse.Kind.THIS || u.kind == NameUse.Kind.SUPER
        || (u.kind == NameUse.Kind.FIELD || u.kind == NameUse.Kind.METHOD) && !u.isStatic();
  }

  private String instance(TypeInfo home, String type, Placement place) {
    if (Modifier.isAbstract(home.flags)) {
      throw new Problem("abstract", home.canonical() + " is abstract: no instance of it can be made");
    }
    boolean plain = home.declaration.getConstructors().isEmpty()
        || home.declaration.getConstructors().stream().anyMatch(
            c -> c.getParameters().isEmpty() && !c.isPrivate());
    boolean named = home.declaration.getConstructors().stream().anyMatch(c -> !c.isPrivate()
        && c.getParameters().size() == 1 && c.getParameter(0).getTypeAsString().equals("String"));
    if (!plain && named && types.inherits(home, "junit.framework.TestCase")) {
      return "new " + type + "(\"" + request.helpers.get(0).replaceAll(".*#|\\W.*$", "") + "\")";
    }
    if (!plain) {
      throw new Problem("constructor", home.canonical() + " has no constructor without parameters");
    }
    if (!home.isStatic) {
      TypeInfo outer = types.find(home.outer);
      return instance(outer, file(place.type.source).imports.reference(place.lexical, outer, false), place)
          + ".new " + home.simple() + "()";
    }
    return "new " + type + "()";
  }
}
