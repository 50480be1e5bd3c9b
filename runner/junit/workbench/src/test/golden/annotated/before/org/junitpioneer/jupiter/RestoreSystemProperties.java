package org.junitpioneer.jupiter;

public @interface RestoreSystemProperties {}
