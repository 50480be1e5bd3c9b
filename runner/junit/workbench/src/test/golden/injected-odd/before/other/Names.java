package other;

public class Names {
  public static final String store = "s";
}
