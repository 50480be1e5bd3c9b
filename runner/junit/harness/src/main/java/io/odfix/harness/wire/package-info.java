/**
 * Frames over the two pipes, as docs/harness-protocol.md has them.
 *
 * <p>Nothing here touches standard streams, the default charset, the locale or
 * a thread's interrupt status: the tests own all of these and may have changed them.
 */
package io.odfix.harness.wire;
