package app;

final class Constants {
  static final int LIMIT = 3;

  private Constants() {}
}
