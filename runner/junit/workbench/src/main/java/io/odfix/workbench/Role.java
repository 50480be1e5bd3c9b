package io.odfix.workbench;

/** Where in the life of a test a statement runs. */
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
