package org.testng.annotations;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands for TestNG's: only its name matters to the harness. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test {}
