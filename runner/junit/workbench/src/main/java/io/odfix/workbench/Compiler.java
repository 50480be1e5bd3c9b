package io.odfix.workbench;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles given texts in this process. It searches for no other sources; compiled classes come
 * from the class path. File managers stay open for each class path, so that its jars are opened
 * once.
 */
final class Compiler {
  private static final int WARM = 4;
  private static final Pattern UNREPORTED = Pattern.compile("unreported exception ([\\w.$]+)");
  private static final String PROCESSORS = "META-INF/services/javax.annotation.processing.Processor";

  private final JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
  private final Map<String, List<StandardJavaFileManager>> idle = new LinkedHashMap<>();

  static boolean available() {
    return ToolProvider.getSystemJavaCompiler() != null;
  }

  Api.Compiled compile(Api.CompileRequest r) {
    if (javac == null) {
      throw new Problem("no-compiler", "the java at " + System.getProperty("java.home")
          + " is a JRE without a compiler; point JAVA_HOME at a JDK");
    }
    if (r.outDir == null || r.outDir.isEmpty() || r.files.isEmpty()) {
      throw new Problem("bad-request", "compile needs files and an output folder");
    }
    Path out = Paths.get(r.outDir);
    try {
      Files.createDirectories(out);
      // The class path already has the files that processors generated for the project. Most files
      // therefore compile without processors, several times faster. Processors that change code in
      // place (Lombok) are recognised by the text.
      boolean possible = processes(r.options);
      boolean first = possible && r.files.values().stream().anyMatch(t -> t.contains("lombok"));
      Api.Compiled c = run(r, out, first);
      if (!c.ok && possible) {
        Api.Compiled other = run(r, out, !first);
        c = other.ok ? other : first ? better(other, c) : c;
      }
      return c;
    } catch (IOException e) {
      throw new Problem("io", "cannot compile into " + out + ": " + e.getMessage());
    }
  }

  /** Returns the failure whose reason is in the code and not in a processor. */
  private static Api.Compiled better(Api.Compiled without, Api.Compiled with) {
    return with.diagnostics.stream().anyMatch(d -> "processor".equals(d.kind)) ? without : with;
  }

  /**
   * Whether any annotation processor could run. The search for processors costs more than compiling
   * a class.
   */
  private static boolean processes(Api.Options o) {
    if (o.args != null && o.args.stream().anyMatch(a -> a.startsWith("-proc") || a.equals("-processor"))) {
      return true; // the project configures them
    }
    List<String> path = o.processorPath != null && !o.processorPath.isEmpty() ? o.processorPath : o.classPath;
    return new ClassPath(path).holds(PROCESSORS);
  }

  private Api.Compiled run(Api.CompileRequest r, Path out, boolean process) throws IOException {
    String key = String.valueOf(r.options.classPath) + r.options.processorPath;
    StandardJavaFileManager files = borrow(key, r.options);
    try {
      return run(r, out, process, files);
    } finally {
      release(key, files);
    }
  }

  private Api.Compiled run(Api.CompileRequest r, Path out, boolean process, StandardJavaFileManager files)
      throws IOException {
    files.setLocation(StandardLocation.CLASS_OUTPUT, Collections.singleton(out.toFile()));
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    List<JavaFileObject> units = new ArrayList<>();
    r.files.forEach((path, text) -> units.add(new Text(path, text)));
    Api.Compiled c = new Api.Compiled();
    StringWriter log = new StringWriter();
    try {
      c.ok = javac.getTask(log, new Output(files), diagnostics, options(r.options, process), null, units).call();
    } catch (IllegalArgumentException e) {
      throw new Problem("compiler-options", "this JDK's compiler refuses the options: " + e.getMessage());
    } catch (RuntimeException | StackOverflowError e) {
      boolean processor = process && String.valueOf(e.getCause()).contains("Error");
      c.diagnostics.add(crash(process || processor, e));
    }
    for (Diagnostic<? extends JavaFileObject> d : diagnostics.getDiagnostics()) {
      c.diagnostics.add(diagnostic(d));
    }
    if (!c.ok && c.diagnostics.stream().noneMatch(d -> d.kind.equals("error"))) {
      c.diagnostics.add(plain(process ? "processor" : "error", log.toString()));
    }
    c.unreported.addAll(unreported(c));
    return c;
  }

  private static Api.Diagnostic crash(boolean process, Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return plain(process ? "processor" : "error", "the compiler failed: " + root);
  }

  private static Api.Diagnostic plain(String kind, String message) {
    Api.Diagnostic d = new Api.Diagnostic();
    d.kind = kind;
    d.code = "compiler.crash";
    d.message = message.trim();
    return d;
  }

  private static Api.Diagnostic diagnostic(Diagnostic<? extends JavaFileObject> d) {
    Api.Diagnostic a = new Api.Diagnostic();
    a.kind = d.getKind() == Diagnostic.Kind.ERROR ? "error" : "warning";
    a.code = d.getCode();
    a.message = d.getMessage(Locale.ENGLISH);
    a.line = Math.max(0, d.getLineNumber());
    a.file = d.getSource() instanceof Text ? ((Text) d.getSource()).path
        : d.getSource() == null ? "" : d.getSource().getName();
    return a;
  }

  private static Set<String> unreported(Api.Compiled c) {
    Set<String> out = new LinkedHashSet<>();
    for (Api.Diagnostic d : c.diagnostics) {
      if (String.valueOf(d.code).startsWith("compiler.err.unreported.exception")) {
        Matcher m = UNREPORTED.matcher(d.message);
        if (m.find()) {
          out.add(m.group(1));
        }
      }
    }
    return out;
  }

  private static List<String> options(Api.Options o, boolean process) {
    List<String> out = new ArrayList<>();
    if (!process) {
      out.add("-proc:none");
    }
    Collections.addAll(out, "-implicit:none", "-g", "-nowarn", "-Xmaxerrs", "200",
        "-XDdiags.formatterOptions=-simpleNames"); // exceptions by their full names
    for (String a : o.args == null ? new ArrayList<String>() : o.args) {
      if (!a.startsWith("-g") && !needless(a)) {
        out.add(a);
      }
    }
    return out;
  }

  /**
   * Whether the option only controls checks and warnings, which are irrelevant here, or the JVM of
   * a compiler that is a process of its own. javac would refuse options of Error Prone, because this
   * plug-in is not present here, and those of a JVM.
   */
  private static boolean needless(String option) {
    return option.equals("-Werror") || option.startsWith("-Xlint") || option.startsWith("-Xdoclint")
        || option.startsWith("-Xep") || option.startsWith("-Xplugin:ErrorProne") || option.startsWith("-J");
  }

  private StandardJavaFileManager borrow(String key, Api.Options o) throws IOException {
    synchronized (idle) {
      List<StandardJavaFileManager> spare = idle.get(key);
      if (spare != null && !spare.isEmpty()) {
        return spare.remove(spare.size() - 1);
      }
    }
    StandardJavaFileManager m = javac.getStandardFileManager(null, Locale.ENGLISH, null);
    m.setLocation(StandardLocation.CLASS_PATH, existing(o.classPath));
    m.setLocation(StandardLocation.SOURCE_PATH, Collections.<File>emptyList());
    if (o.processorPath != null && !o.processorPath.isEmpty()) {
      m.setLocation(StandardLocation.ANNOTATION_PROCESSOR_PATH, existing(o.processorPath));
    }
    return m;
  }

  private static List<File> existing(List<String> path) {
    List<File> out = new ArrayList<>();
    for (String p : path == null ? new ArrayList<String>() : path) {
      File f = new File(p);
      if (f.exists()) {
        out.add(f);
      }
    }
    return out;
  }

  private void release(String key, StandardJavaFileManager m) throws IOException {
    List<StandardJavaFileManager> close = new ArrayList<>();
    synchronized (idle) {
      idle.computeIfAbsent(key, k -> new ArrayList<>()).add(m);
      while (idle.size() > WARM) {
        close.addAll(idle.remove(idle.keySet().iterator().next()));
      }
    }
    for (StandardJavaFileManager c : close) {
      c.close();
    }
  }

  /** A source that exists as text only. */
  private static final class Text extends SimpleJavaFileObject {
    final String path;
    private final String text;

    Text(String path, String text) {
      super(uri(path), Kind.SOURCE);
      this.path = path;
      this.text = text;
    }

    private static URI uri(String path) {
      return new File(path).toURI();
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Writes class files below the output folder, whatever the path of their source. */
  private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
    Output(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind,
        javax.tools.FileObject sibling) throws IOException {
      return super.getJavaFileForOutput(location, name, kind, null);
    }
  }
}
