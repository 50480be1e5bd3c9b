package io.odfix.samples.jupiter;

import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/** A suite of the Platform. */
@Suite
@SelectClasses({Aardvark.class, Five.class})
class Suite5 {}
