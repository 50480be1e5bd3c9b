/**
 * What every framework has in common: trees of tests, visits, and the account of
 * what happened at each position of an order. Knows no JUnit.
 *
 * <p>Invariant: what is reported at a position is what ran at that position. Where
 * a runner does something else than was asked, the run is refused, never adjusted.
 */
package io.odfix.harness.order;
