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
    // Annotation processors print. Their output must not get into the answers' pipe.
    System.setOut(System.err);
    System.setIn(new java.io.ByteArrayInputStream(new byte[0]));
    try {
      new Server(out).serve(in);
    } finally {
      // The parent has ended or needs nothing more, so remaining requests are dropped.
      Runtime.getRuntime().halt(0);
    }
  }
}
