package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class UnpairedTest {
  static List<String> log;

  @BeforeClass
  public static void start() {
    System.setProperty("started", "yes");
    log = new ArrayList<String>();
  }

  @AfterClass
  public static void stop() {
    System.clearProperty("started");
  }

  @Test
  public void one() {
    log.add("1");
    assertEquals(1, log.size());
  }
}
