package io.odfix.workbench;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Reads and writes one JSON object a line, matched by id. Requests run in parallel and share no
 * state.
 */
final class Server {
  /** The parser and javac read deeply nested expressions recursively. */
  private static final long STACK = 64L << 20;

  /** Kept between requests: a warm compiler. */
  static final class Workspace {
    final Compiler compiler = new Compiler();

    Types types(Api.Project p) {
      return new Types(new Sources(p.sourceRoots, p.encoding, p.made), new ClassPath(p.classPath));
    }
  }

  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final Workspace workspace = new Workspace();
  private final PrintStream out;

  Server(PrintStream out) {
    this.out = out;
  }

  void serve(InputStream in) throws IOException {
    ThreadPoolExecutor pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 30, TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(), r -> thread(r));
    pool.setCorePoolSize(Math.max(2, Runtime.getRuntime().availableProcessors()));
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    say(hello());
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String request = line;
      if (!request.trim().isEmpty()) {
        pool.execute(() -> say(answer(request)));
      }
    }
  }

  private static Thread thread(Runnable r) {
    Thread t = new Thread(null, r, "workbench", STACK);
    t.setDaemon(true);
    return t;
  }

  private static JsonObject hello() {
    JsonObject h = new JsonObject();
    h.addProperty("version", 1);
    h.addProperty("java", System.getProperty("java.version"));
    h.addProperty("home", System.getProperty("java.home"));
    h.addProperty("compiler", Compiler.available());
    return h;
  }

  private void say(JsonElement e) {
    String line = gson.toJson(e);
    synchronized (out) {
      out.println(line);
      out.flush();
    }
  }

  JsonObject answer(String line) {
    JsonObject answer = new JsonObject();
    JsonObject request;
    String op;
    try {
      request = JsonParser.parseString(line).getAsJsonObject();
      answer.add("id", request.get("id"));
      op = request.get("op").getAsString();
    } catch (JsonParseException | IllegalStateException | NullPointerException | UnsupportedOperationException e) {
      answer.add("error", error("bad-request", "the request is no JSON object with id, op and params"));
      return answer;
    }
    try {
      answer.add("result", gson.toJsonTree(perform(op, request.get("params"))));
    } catch (Problem p) {
      answer.add("error", error(p.code, p.getMessage()));
    } catch (JsonParseException e) {
      answer.add("error", error("bad-request", "the params of " + op + " are not understood: " + e.getMessage()));
    } catch (StackOverflowError e) {
      answer.add("error", error("too-deep", "the sources are nested too deeply to be read"));
    } catch (RuntimeException | Error e) {
      answer.add("error", error("internal", where(e)));
    }
    return answer;
  }

  private static String where(Throwable e) {
    StackTraceElement[] s = e.getStackTrace();
    return "the workbench failed: " + e + (s.length > 0 ? " at " + s[0] : "");
  }

  private static JsonObject error(String code, String message) {
    JsonObject e = new JsonObject();
    e.addProperty("code", code);
    e.addProperty("message", message);
    return e;
  }

  private Object perform(String op, JsonElement params) {
    if (params == null || !params.isJsonObject()) {
      throw new Problem("bad-request", "the request has no params");
    }
    switch (op) {
      case "script":
        Api.ScriptRequest s = gson.fromJson(params, Api.ScriptRequest.class);
        return Scripts.of(workspace.types(s), s);
      case "render":
        Api.RenderRequest r = gson.fromJson(params, Api.RenderRequest.class);
        return Renderer.render(workspace.types(r), r);
      case "compile":
        return workspace.compiler.compile(gson.fromJson(params, Api.CompileRequest.class));
      case "attempt":
        return Attempt.run(workspace, gson.fromJson(params, Api.AttemptRequest.class));
      case "outline":
        Api.OutlineRequest o = gson.fromJson(params, Api.OutlineRequest.class);
        return Outlines.of(workspace.types(o), o);
      case "resets":
        Api.ResetsRequest q = gson.fromJson(params, Api.ResetsRequest.class);
        return Resets.find(workspace.types(q), q);
      case "closingStatements":
        Api.ClosingRequest e = gson.fromJson(params, Api.ClosingRequest.class);
        return ClosingStatements.find(workspace.types(e), e);
      case "processStateWriters":
        return ProcessStateWriters.find(workspace.types(gson.fromJson(params, Api.WritersRequest.class)));
      default:
        throw new Problem("bad-request", "unknown operation \"" + op + "\"");
    }
  }
}
