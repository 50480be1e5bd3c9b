/**
 * Frames over the two pipes, in the format of docs/harness-protocol.md.
 *
 * <p>This package does not use standard streams, the default charset, the locale or a thread's
 * interrupt status, because tests may have changed them.
 */
package io.odfix.harness.wire;
