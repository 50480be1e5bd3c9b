/**
 * The program that runs inside a project's test JVM. It reads commands, runs orders of tests
 * exactly, and reports what happened. docs/harness-protocol.md describes its frames.
 *
 * <p>It has no dependency, since a library could clash with the project's. The code that runs at
 * the start uses no lambdas and no regular expressions: their first use costs more than the rest of
 * the start.
 */
package io.odfix.harness;
