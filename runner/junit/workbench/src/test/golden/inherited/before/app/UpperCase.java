package app;

import org.junit.Before;

public abstract class UpperCase extends LowerCase {
  private String name;

  @Before
  public void start() {
    super.renew();
    name = "upper";
  }

  @Override
  protected void renew() {}

  protected String getName() {
    return name;
  }
}
