package app;

import java.io.IOException;

final class Loader {
  static void load() throws IOException {
    throw new IOException();
  }
}
