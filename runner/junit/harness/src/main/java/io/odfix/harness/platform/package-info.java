/**
 * The JUnit Platform, 1.3 and later, through its public API. The project's real engines run wrapped
 * in engines that prune and reorder what was discovered. Class and method orderers act during
 * discovery, and therefore do not change the requested order.
 *
 * <p>Tests of the Vintage engine are not run here: see the JUnit 4 driver.
 */
package io.odfix.harness.platform;
