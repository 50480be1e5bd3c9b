package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Test;

public class LeansTest {
  static List<String> log;
  static List<String> heard = new ArrayList<String>();

  @BeforeClass
  public static void start() {
    System.setProperty("started", "yes");
    log = new ArrayList<String>();
  }

  @Before
  public void ask() {
    assertEquals("yes", System.getProperty("started"));
  }

  @AfterClass
  public static void stop() {
    System.clearProperty("started");
  }

  class Loud extends ArrayList<String> {
    @Override
    public boolean add(String s) {
      return super.add(s) && LeansTest.heard.add(s);
    }
  }

  @Test
  public void one() {
    log.add("1");
    new Loud().addAll(log);
    assertEquals(1, log.size());
  }
}
