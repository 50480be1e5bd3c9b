package io.odfix.samples;

import spock.lang.Specification;

/** Tests of frameworks that the harness does not drive. */
public class Foreign {
    public static class OfTestNg {
        @org.testng.annotations.Test
        public void a() {}
    }

    public static class OfSpock extends Specification {
        public void a() {}
    }
}
