import static org.junit.Assert.assertTrue;
import org.junit.After;
import org.junit.Test;
public class PlainTest {
@After
public void cleanUpSharedState() {
    app.Registry.getInstance().reset();
}

@Test
public void helper() { app.Registry.getInstance().reset();
  assertTrue(true); }
@Test public void victim() { /* nothing */ }
}
