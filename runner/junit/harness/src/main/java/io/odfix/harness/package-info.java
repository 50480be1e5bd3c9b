/**
 * The program that runs inside a project's test JVM. It reads commands, runs orders of tests
 * exactly, and reports what happened. docs/harness-protocol.md describes its frames.
 *
 * <p>It has no dependency, because a library could conflict with the project's. The code at the
 * start uses no lambdas and no regular expressions, because their first use takes longer than the
 * rest of the start.
 */
package io.odfix.harness;
