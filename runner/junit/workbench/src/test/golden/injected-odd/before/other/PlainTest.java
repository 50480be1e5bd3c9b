package other;

import org.junit.Test;

@SuppressWarnings("unused")
public class PlainTest {
  @Test
  public void victim() {}
}
