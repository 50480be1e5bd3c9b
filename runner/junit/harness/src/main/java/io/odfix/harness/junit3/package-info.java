/**
 * JUnit 3: trees of {@code junit.framework.Test}. Junit3Driver runs projects that have only JUnit
 * 3.8. JUnit 4 projects also use this package for their JUnit 3 tests, through JUnit 4's runners.
 */
package io.odfix.harness.junit3;
