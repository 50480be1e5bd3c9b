package io.odfix.workbench;

/** The time at which a statement runs in a test. */
enum Role {
  FIELD("field"),
  CONSTRUCTOR("constructor"),
  CLASS_SETUP("class-setup"),
  SETUP("setup"),
  BODY("body"),
  TEARDOWN("teardown"),
  CLASS_TEARDOWN("class-teardown");

  final String wire;

  Role(String wire) {
    this.wire = wire;
  }
}
