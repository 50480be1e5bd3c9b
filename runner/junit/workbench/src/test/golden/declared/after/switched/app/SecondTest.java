package app;

import java.util.ArrayList;
import java.util.List;
import org.junit.After;

public class SecondTest extends BaseCase {
    @After
    public void cleanUpSharedState() {
        List<String> SEEN;
        if (io.odfix.harness.Switch.on(0)) {
            SEEN = new ArrayList<>();
        } else {
            SEEN = null;
        }
        if (io.odfix.harness.Switch.on(2)) {
            System.clearProperty("mode");
        }
        if (io.odfix.harness.Switch.on(3)) {
            SEEN.clear();
        }
        if (io.odfix.harness.Switch.on(4)) {
            log.setLength(0);
        }
    }
}
