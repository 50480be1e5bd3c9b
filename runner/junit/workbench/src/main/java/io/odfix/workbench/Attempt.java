package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.type.ReferenceType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Renders and compiles. If an exception is not handled, it has the method at the target declare
 * it and tries again. Any other failure is a reason.
 */
final class Attempt {
  private static final int ROUNDS = 4;
  /**
   * Members that code outside the helper's package or class may not use. Style "method" may solve
   * this.
   */
  private static final List<String> HIDDEN = Arrays.asList("compiler.err.report.access",
      "compiler.err.not.def.public.cant.access", "compiler.err.not.def.access.class.intf.cant.access",
      // The statement compiled in its own class, so it uses something that is not public.
      "compiler.err.cant.apply.symbol", "compiler.err.cant.apply.symbols");

  private Attempt() {}

  static Api.Attempted run(Server.Workspace workspace, Api.AttemptRequest r) {
    SourceLevel.adapt(r);
    Types types = workspace.types(r);
    // A patch that is only tried need not be pretty. It declares the helper's exceptions, which
    // avoids a second compilation.
    List<String> guess = r.switched ? declared(types, r.helpers) : new ArrayList<>();
    r.place.declaring = Placement.inherits(types, r.place);
    if (r.place.declaring) {
      Api.Attempted a = inDeclaring(workspace, types, r, guess);
      if (a != null) {
        return a;
      }
    }
    r.place.declaring = false;
    Api.Attempted a = run(workspace, types, r, guess);
    return a.ok || guess.isEmpty() ? a : run(workspace, types, r, new ArrayList<>());
  }

  /** The patch in the class that declares the test; null if the statements do not fit there. */
  private static Api.Attempted inDeclaring(Server.Workspace workspace, Types types, Api.AttemptRequest r, List<String> guess) {
    try {
      Api.Attempted a = run(workspace, types, r, guess);
      a = a.ok || guess.isEmpty() ? a : run(workspace, types, r, new ArrayList<>());
      return a.ok ? a : null;
    } catch (Problem p) {
      return null;
    }
  }

  private static Api.Attempted run(Server.Workspace workspace, Types types, Api.AttemptRequest r, List<String> exceptions) {
    Api.Attempted a = new Api.Attempted();
    a.extraThrows.addAll(exceptions);
    for (int round = 1;; round++) {
      a.rendered = Renderer.render(types, r, a.extraThrows);
      if (!a.rendered.problems.isEmpty()) {
        a.code = a.rendered.problems.get(0).code;
        a.reason = a.rendered.problems.get(0).message;
        a.rendered.problems.forEach(p -> a.culprits.add(p.statement));
        return a;
      }
      a.compiled = workspace.compiler.compile(toCompile(r, a.rendered));
      if (a.compiled.ok) {
        a.ok = true;
        return a;
      }
      List<String> fresh = new ArrayList<>(a.compiled.unreported);
      fresh.removeAll(a.extraThrows);
      if (fresh.isEmpty() || round == ROUNDS) {
        blame(a);
        return a;
      }
      a.extraThrows.addAll(fresh);
    }
  }

  /** The full names of the exceptions that the helpers' methods declare. */
  private static List<String> declared(Types types, List<String> helpers) {
    Set<String> out = new LinkedHashSet<>();
    for (ScriptStatement s : ScriptBuilder.build(types, helpers)) {
      Node n = s.node != null ? s.node : s.inner.get(0).node;
      MethodDeclaration m = method(n);
      (m == null ? new ArrayList<ReferenceType>() : m.getThrownExceptions()).forEach(e -> {
        TypeInfo t = e.isClassOrInterfaceType() ? s.lexical.type(e.asClassOrInterfaceType()) : null;
        if (t != null) {
          out.add(t.canonical());
        }
      });
    }
    for (String all : Arrays.asList("java.lang.Throwable", "java.lang.Exception")) {
      if (out.contains(all)) {
        return new ArrayList<>(Collections.singletonList(all));
      }
    }
    return new ArrayList<>(out);
  }

  private static MethodDeclaration method(Node n) {
    Node at = n;
    while (at != null && !(at instanceof MethodDeclaration)) {
      at = at.getParentNode().orElse(null);
    }
    return (MethodDeclaration) at;
  }

  private static Api.CompileRequest toCompile(Api.AttemptRequest r, Api.Rendered rendered) {
    Api.CompileRequest c = new Api.CompileRequest();
    c.options = r.options;
    if (c.options.classPath == null) {
      c.options.classPath = r.classPath;
    }
    c.outDir = r.outDir;
    rendered.files.forEach(f -> c.files.put(f.path, f.text));
    return c;
  }

  private static void blame(Api.Attempted a) {
    Api.Diagnostic first = null;
    Set<String> culprits = new LinkedHashSet<>();
    for (Api.Diagnostic d : a.compiled.diagnostics) {
      if (!d.kind.equals("warning")) {
        first = first == null ? d : first;
        a.rendered.spans.stream()
            .filter(s -> s.file.equals(d.file) && s.line <= d.line && d.line <= s.endLine)
            .forEach(s -> culprits.add(s.statement));
      }
    }
    a.culprits.addAll(culprits);
    a.code = first != null && HIDDEN.contains(String.valueOf(first.code)) ? "not-visible" : "compile";
    a.reason = first == null ? "it does not compile" : sentence(first);
  }

  private static String sentence(Api.Diagnostic d) {
    String file = d.file == null ? "" : d.file.substring(d.file.lastIndexOf(java.io.File.separatorChar) + 1);
    return "it does not compile: " + (file.isEmpty() ? "" : file + ":" + d.line + ": ")
        + d.message.replaceAll("\\s*\\R\\s*", "; ");
  }
}
