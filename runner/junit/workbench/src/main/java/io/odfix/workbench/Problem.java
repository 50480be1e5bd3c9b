package io.odfix.workbench;

/**
 * Something a person or the caller must know: a stable code and a sentence that says what to do.
 */
final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final String code;

  Problem(String code, String message) {
    super(message, null, false, false);
    this.code = code;
  }
}
