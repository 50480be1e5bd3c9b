package app;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junitpioneer.jupiter.RestoreSystemProperties;

/** What it tests. */
@RestoreSystemProperties
@Tag("fast") // and small
public class PlainTest {

    @Test
    void one() {
        System.setProperty("a", "b");
    }

	@Nested class Inner {
	    @Test
	    void two() {
	        System.setProperty("a", "b");
	    }
	}
}
