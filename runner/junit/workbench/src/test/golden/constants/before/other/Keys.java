package other;

/** Names that tests share. */
final class Keys {
  static final String SIZE = "app.size";
  static final String UNUSED = "app.unused";
  static String variable = "app.variable";
}
