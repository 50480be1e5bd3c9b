package com.example.money;

import org.junit.runner.RunWith;
import org.junit.runners.Suite;

@RunWith(Suite.class)
@Suite.SuiteClasses({LargeAmounts.class, Refunds.class})
public class RegressionSuiteTest {
}
