package io.odfix.samples.junit4;

import io.odfix.samples.junit3.Three;
import org.junit.runner.RunWith;
import org.junit.runners.Suite;
import org.junit.runners.Suite.SuiteClasses;

@RunWith(Suite.class)
@SuiteClasses({Plain.class, Three.class, Params.class})
public class All {}
