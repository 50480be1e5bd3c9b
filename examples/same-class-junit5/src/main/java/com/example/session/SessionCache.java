package com.example.session;

import java.util.LinkedHashMap;
import java.util.Map;

/** Who is logged in. The longest idle session goes when there are too many. */
public final class SessionCache {

    private static final int DEFAULT_LIMIT = 100;

    private static final Map<String, String> USERS = new LinkedHashMap<>();

    private static int limit = DEFAULT_LIMIT;

    private SessionCache() {
    }

    public static void open(String session, String user) {
        USERS.put(session, user);
        while (USERS.size() > limit) {
            USERS.remove(USERS.keySet().iterator().next());
        }
    }

    public static void close(String session) {
        USERS.remove(session);
    }

    public static String user(String session) {
        return USERS.get(session);
    }

    public static int limit() {
        return limit;
    }

    public static void limitTo(int sessions) {
        limit = sessions;
    }

    public static void useDefaults() {
        limit = DEFAULT_LIMIT;
    }
}
