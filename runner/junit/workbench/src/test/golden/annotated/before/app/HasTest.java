package app;

import org.junit.jupiter.api.Test;
import org.junitpioneer.jupiter.RestoreSystemProperties;

@RestoreSystemProperties
class HasTest {
    @Test
    void one() {
    }
}
