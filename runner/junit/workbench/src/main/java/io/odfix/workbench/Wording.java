package io.odfix.workbench;

import java.util.Locale;

/** What a method's name lets one hope for. */
final class Wording {
  private static final String[][] UNDOING = {
      {"reset"}, {"clear", "restore", "revert", "undo", "unset"},
      {"removeall", "unregisterall", "deregisterall", "shutdown", "close", "dispose", "destroy", "teardown", "cleanup",
          "clean", "flush", "purge", "evict", "invalidate", "release", "uninstall", "stop", "end", "exit", "leave", "logout"},
      {"remove", "unregister", "deregister", "delete", "init", "reinit", "default", "usedefault", "setdefault",
          "setup", "reload", "refresh", "setinstance", "set"}};
  /** Worse than a name that says nothing. */
  private static final String[] DOING = {"add", "put", "register", "append", "increment", "next", "load", "read", "write"};

  private Wording() {}

  /** The lower the likelier that the method puts things back: 0 to 8. */
  static int rank(String method) {
    String name = method.toLowerCase(Locale.ROOT);
    for (int i = 0; i < UNDOING.length; i++) {
      for (String word : UNDOING[i]) {
        if (name.startsWith(word)) {
          return i;
        }
      }
    }
    for (String word : new String[] {"reset", "clear", "cleanup", "default"}) {
      if (name.contains(word)) {
        return 3;
      }
    }
    for (String word : DOING) {
      if (name.startsWith(word)) {
        return 8;
      }
    }
    return 6;
  }

  static boolean undoes(String method) {
    return rank(method) <= 2;
  }
}
