package io.odfix.state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.util.Properties;
import org.junit.Test;

/** The meaning of options. */
public class OptionsTest {
    private static Options of(String key, String value) throws IOException {
        Properties all = new Properties();
        all.setProperty(key, value);
        return new Options(all);
    }

    @Test
    public void rootsByPackageAndByExpression() throws IOException {
        Options options = of("include_roots", "com.acme\n org\\.(b|c)\\..*Registry ");
        assertTrue(options.includes() && options.includes("com.acme.A$B") && options.includes("com.acme.deep.C") && options.includes("org.b.x.TheRegistry"));
        assertFalse(options.includes("com.acmeandmore.A") || options.includes("org.b.Registry2") || options.includes("org.bxRegistry"));
        assertTrue("a class is as good as a package", of("include_roots", "com.acme.A$B").includes("com.acme.A$B"));
        assertFalse(of("exclude_roots", ".*").includes());
        assertThrows(IOException.class, () -> of("include_roots", "com.acme.("));
    }

    @Test
    public void fieldsAreLeftOutByTheirWholeName() throws IOException {
        Options options = of("exclude_fields", "com\\.acme\\.A\\.x.*");
        assertEquals("true false false", options.excludesField("com.acme.A.xs") + " " + options.excludesField("org.com.acme.A.x") + " " + options.excludesRoot("com.acme.A.x"));
    }
}
