package io.odfix.samples.junit4;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Names that no file of orders would survive as they are. */
@RunWith(Parameterized.class)
public class OddNames {
    @Parameterized.Parameter
    public String value;

    @Parameterized.Parameters(name = "{0}")
    public static Object[] values() {
        return new Object[] {"tab\tline\nreturn\r", "nul\0", "half \ud83d", "whole \ud83d\ude00", "a#b>c(d)"};
    }

    @Test
    public void t() {}
}
