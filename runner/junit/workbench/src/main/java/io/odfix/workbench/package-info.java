/**
 * The workbench: a long-running JVM of odfix that reads a project's test sources, renders patches
 * into them and compiles the result. It runs no project code except annotation processors during
 * compilation. It writes no files except class files: the text of a patch is an answer.
 *
 * <p>Invariants: a request has everything needed to answer it (caches have only data that can be
 * read again); a source file is never reprinted, only edited at parsed positions; only files below
 * the test source roots of the request are edited.
 */
package io.odfix.workbench;
