import static org.junit.Assert.assertTrue;
import org.junit.Test;
public class PlainTest {
@Test
public void helper() { app.Registry.getInstance().reset();
  assertTrue(true); }
@Test public void victim() { /* nothing */ }
}
