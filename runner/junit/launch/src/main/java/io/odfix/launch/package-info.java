/**
 * A Maven core extension that watches one build and records how it compiles and launches its tests,
 * so that odfix can do the same without Maven.
 *
 * <p>It is passed with {@code -Dmaven.ext.class.path} and does nothing unless {@code
 * -Dodfix.record} names a folder. It changes the build in three ways only: test mojos start one
 * fork whose {@code java} is a recorder, and run no test; modules other than the requested ones are
 * not tested; checks of source style are skipped. It leaves out what it cannot read, and never
 * fails a build itself.
 */
package io.odfix.launch;
