package io.odfix.workbench;

import java.io.InputStream;
import java.io.PrintStream;

/**
 * Starts the workbench: requests on standard input, answers on standard output, until the input
 * ends.
 */
final class Main {
  private Main() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    InputStream in = System.in;
    // Annotation processors print; the answers' pipe is not theirs.
    System.setOut(System.err);
    System.setIn(new java.io.ByteArrayInputStream(new byte[0]));
    try {
      new Server(out).serve(in);
    } finally {
      // The parent is gone or done: nothing that still runs here is of use to anyone.
      Runtime.getRuntime().halt(0);
    }
  }
}
