package io.odfix.samples.junit4;

import org.junit.Assert;
import org.junit.Rule;
import org.junit.Test;
import org.junit.experimental.categories.Category;
import org.junit.rules.ErrorCollector;

public class Collecting {
    /** A category. */
    public interface Slow {}

    @Rule
    public final ErrorCollector errors = new ErrorCollector();

    @Test
    public void collects() {
        errors.addError(new IllegalStateException("one"));
        errors.addError(new IllegalStateException("two"));
    }

    @Test
    @Category(Slow.class)
    public void switched() {
        Assert.assertFalse(io.odfix.harness.Switch.on(0));
        Assert.assertTrue(io.odfix.harness.Switch.on(1));
        Assert.assertTrue(io.odfix.harness.Switch.on(2));
    }
}
