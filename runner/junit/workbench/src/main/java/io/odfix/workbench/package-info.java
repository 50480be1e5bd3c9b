/**
 * The workbench: a long-lived JVM of odfix's own that reads a project's test sources, renders
 * patches into them and compiles the result. It runs no project code except annotation processors
 * during compilation, and it writes no file but class files: the text of a patch is an answer.
 *
 * <p>Invariants: a request carries everything needed to answer it (caches hold only what can be
 * read again); a source file is never reprinted, only edited at parsed positions; only files below
 * the test source roots of the request are edited.
 */
package io.odfix.workbench;
