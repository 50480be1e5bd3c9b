/**
 * A Maven core extension that watches one build and records how it compiles and launches its tests.
 * odfix can then do the same without Maven.
 *
 * <p>It is passed with {@code -Dmaven.ext.class.path} and does nothing unless {@code
 * -Dodfix.record} names a folder. It changes the build only in three respects. Test mojos start one
 * fork whose {@code java} is a recorder, and run no test. Modules other than the requested ones are
 * not tested. Plugins that no test needs, such as checks of source style, are skipped. It leaves
 * out what it cannot read. It fails a build only where the tests would run without being recorded.
 */
package io.odfix.launch;
