package app;

import java.io.IOException;
import org.junit.After;

public class SecondTest extends BaseCase {
    @After
    public void cleanUpSharedState() throws IOException {
        Loader.load();
    }
}
