package io.odfix.workbench;

/** A test id of the harness protocol, taken apart: "a.All&gt;a.B$C#m(int)[0]~2". */
final class TestId {
  /** Binary name of the class that declares or inherits the test. */
  final String type;
  final String method;
  /** Number of parameters if the id has them, else -1. */
  final int params;

  private TestId(String type, String method, int params) {
    this.type = type;
    this.method = method;
    this.params = params;
  }

  static TestId parse(String id) {
    int hash = id == null ? -1 : id.indexOf('#');
    if (hash <= 0 || hash == id.length() - 1) {
      throw new Problem("bad-test-id", "\"" + id + "\" is no test id; expected Class#method");
    }
    String type = id.substring(id.lastIndexOf('>', hash) + 1, hash);
    if (!Types.isName(type)) {
      throw new Problem("bad-test-id", "\"" + id + "\" names no Java class; expected Class#method");
    }
    String rest = id.substring(hash + 1);
    int end = 0;
    while (end < rest.length() && Character.isJavaIdentifierPart(rest.charAt(end))) {
      end++;
    }
    if (end == 0) {
      throw new Problem("bad-test-id", "\"" + id + "\" names no Java method; odfix cannot find its statements");
    }
    int params = -1;
    if (end < rest.length() && rest.charAt(end) == '(' && rest.indexOf(')', end) > 0) {
      String inside = rest.substring(end + 1, rest.indexOf(')', end)).trim();
      params = inside.isEmpty() ? 0 : inside.split(",").length;
    }
    return new TestId(type, rest.substring(0, end), params);
  }
}
