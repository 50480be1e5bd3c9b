package app;

import org.junit.Test;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ContextConfiguration;

@ContextConfiguration
public class BeanTest {
    /** Other tests get the same bean. */
    @DirtiesContext
    @Test
    public void changesABean() {
    }

    @Test
    public void readsIt() {
    }
}
