/**
 * The program that runs inside a project's test JVM: reads commands, runs orders of tests exactly,
 * reports what happened. docs/harness-protocol.md describes what it says and hears.
 *
 * <p>It has no dependency, since whatever it brought could clash with the project's. It is compiled
 * without lambdas and regular expressions where it starts: their first use costs more than the rest
 * of the start.
 */
package io.odfix.harness;
