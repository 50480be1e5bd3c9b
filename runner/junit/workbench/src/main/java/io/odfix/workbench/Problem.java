package io.odfix.workbench;

/** An error for users or for the caller: a stable code, and a sentence with the remedy. */
final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final String code;

  Problem(String code, String message) {
    super(message, null, false, false);
    this.code = code;
  }
}
