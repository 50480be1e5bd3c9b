package lib;

public class Tool {
  public int n;
}
