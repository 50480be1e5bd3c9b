package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;

/**
 * Renders and compiles, and mends what can be mended: an exception that nothing handles is
 * declared by the method at the place, if that helps. Anything else is a reason.
 */
final class Attempt {
  private static final int ROUNDS = 4;

  private Attempt() {}

  static Api.Attempted run(Server.Shop shop, Api.AttemptRequest r) {
    Api.Attempted a = new Api.Attempted();
    if (r.extraThrows != null) {
      a.extraThrows.addAll(r.extraThrows);
    }
    Types types = shop.types(r);
    while (true) {
      a.rounds++;
      r.extraThrows = a.extraThrows;
      a.rendered = Renderer.render(types, r);
      if (!a.rendered.problems.isEmpty()) {
        a.reason = a.rendered.problems.get(0).message;
        return a;
      }
      a.compiled = shop.compiler.compile(toCompile(r, a.rendered));
      if (a.compiled.ok) {
        a.ok = true;
        return a;
      }
      List<String> fresh = new ArrayList<>(a.compiled.unreported);
      fresh.removeAll(a.extraThrows);
      if (fresh.isEmpty() || a.rounds == ROUNDS) {
        a.reason = reason(a.compiled);
        return a;
      }
      a.extraThrows.addAll(fresh);
    }
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

  private static String reason(Api.Compiled c) {
    for (Api.Diagnostic d : c.diagnostics) {
      if (!d.kind.equals("warning")) {
        String file = d.file == null ? "" : d.file.substring(d.file.lastIndexOf(java.io.File.separatorChar) + 1);
        return "does not compile: " + file + ":" + d.line + ": " + d.message.replaceAll("\\s*\\R\\s*", "; ");
      }
    }
    return "does not compile";
  }
}
