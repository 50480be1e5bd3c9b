/**
 * Test classes that only child JVMs of the end-to-end tests run; none is named so that the build
 * runs it.
 */
package io.odfix.samples;
