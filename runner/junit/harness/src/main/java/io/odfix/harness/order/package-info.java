/**
 * What all frameworks have in common: trees of tests, visits, and the record of what happened at
 * each position of an order. This package does not depend on JUnit.
 *
 * <p>Invariant: what is reported at a position is what ran at that position. If a runner does
 * not follow the order, the run is refused, never adjusted.
 */
package io.odfix.harness.order;
