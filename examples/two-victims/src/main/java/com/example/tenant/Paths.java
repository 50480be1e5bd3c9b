package com.example.tenant;

/** Where a tenant's things are kept. */
public final class Paths {

    private Paths() {
    }

    public static String upload(String file) {
        return "/" + Tenant.current() + "/uploads/" + file;
    }

    public static String cacheKey(String name) {
        return Tenant.current() + ":" + name;
    }
}
