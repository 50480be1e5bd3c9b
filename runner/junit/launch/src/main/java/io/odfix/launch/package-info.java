/**
 * A Maven core extension that watches one build and writes down how it
 * compiles and launches its tests, for odfix to do the same without Maven.
 *
 * <p>It is passed with {@code -Dmaven.ext.class.path} and does nothing unless
 * {@code -Dodfix.record} names a folder. It changes the build in three ways
 * only: test mojos start one fork whose {@code java} is a recorder and run no
 * test; modules nobody asked for are not tested; checks of source style are
 * left out. What it cannot read it leaves out; it never fails a build itself.
 */
package io.odfix.launch;
