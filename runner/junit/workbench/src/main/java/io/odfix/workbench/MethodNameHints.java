package io.odfix.workbench;

import java.util.Locale;

/** What a method's name suggests. */
final class MethodNameHints {
  private static final String[][] UNDOING = {
      {"reset"}, {"clear", "restore", "revert", "undo", "unset"},
      {"removeall", "unregisterall", "deregisterall", "shutdown", "close", "dispose", "destroy", "teardown", "cleanup",
          "clean", "flush", "purge", "evict", "invalidate", "release", "uninstall", "stop", "end", "exit", "leave", "logout"},
      {"remove", "unregister", "deregister", "delete", "init", "reinit", "default", "usedefault", "setdefault",
          "setup", "reload", "refresh", "setinstance", "set"}};
  private static final String[][] SETTING = {
      {"init", "load", "setup", "configure", "install", "bootstrap"}, {"start", "register", "default", "create", "open", "reset"},
      {"set", "add", "put", "use", "enable", "get"}};
  /** Less likely than a neutral name. */
  private static final String[] DOING = {"add", "put", "register", "append", "increment", "next", "load", "read", "write"};

  /** The rank of a name that suggests nothing. */
  static final int NEUTRAL = 6;

  private MethodNameHints() {}

  /**
   * How likely it is that the method restores state, or sets it up first: 0 to 8, where lower is
   * likelier.
   */
  static int rank(String method, boolean setsUp) {
    String name = method.toLowerCase(Locale.ROOT);
    String[][] groups = setsUp ? SETTING : UNDOING;
    for (int i = 0; i < groups.length; i++) {
      for (String word : groups[i]) {
        if (name.startsWith(word)) {
          return i;
        }
      }
    }
    if (setsUp) {
      return NEUTRAL;
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
    return NEUTRAL;
  }

  /** Whether the method's name means that it removes its argument. */
  static boolean removes(String method) {
    return begins(method, "remove", "unregister", "deregister", "delete", "evict", "invalidate", "unset", "clear", "close", "shutdown", "stop",
        "release", "uninstall", "dispose", "purge", "discard", "drop", "detach", "disable", "forget", "unbind", "unsubscribe", "un");
  }

  /** Whether the method's name means that it restores its argument. */
  static boolean puts(String method) {
    return begins(method, "set", "put", "register", "add", "use", "install", "with", "enable", "bind", "attach", "replace", "restore", "init",
        "configure", "append", "define", "store");
  }

  private static boolean begins(String method, String... words) {
    String name = method.toLowerCase(Locale.ROOT);
    for (String w : words) {
      if (name.startsWith(w)) {
        return true;
      }
    }
    return false;
  }

  static boolean undoes(String method) {
    return rank(method, false) <= 2;
  }

  /** Whether the method's name means that it undoes or sets up something. */
  static boolean resets(String method) {
    return rank(method, false) <= 3;
  }
}
