import org.junit.After;
import org.junit.Test;
public class LineTest {
    @After public void cleanUpSharedState() {
        app.Registry.getInstance().reset();
    }

 @Test public void only() { System.getProperty("a"); } }
