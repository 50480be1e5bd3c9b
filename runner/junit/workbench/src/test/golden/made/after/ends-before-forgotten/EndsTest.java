import java.util.Timer;
import org.junit.After;
import org.junit.Test;

public class EndsTest {
  private Timer timer;

  @After
  public void forget() {
    timer.cancel();
    timer = null;
  }

  @Test
  public void starts() {
    timer = new Timer();
  }
}
