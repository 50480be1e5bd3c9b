/**
 * JUnit 3: trees of {@code junit.framework.Test}, and the driver for projects that have JUnit 3.8
 * only. Also used for the JUnit 3 tests of JUnit 4 projects, through the runners of JUnit 4.
 */
package io.odfix.harness.junit3;
