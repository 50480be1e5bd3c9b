package com.example.pool;

import java.util.concurrent.Semaphore;

/** Hands out connections. If none is left, the caller waits for one. */
public final class ConnectionPool {

    private static final Semaphore FREE = new Semaphore(2);

    private ConnectionPool() {
    }

    public static void borrow() {
        FREE.acquireUninterruptibly();
    }

    public static void giveBack() {
        FREE.release();
    }

    public static int free() {
        return FREE.availablePermits();
    }
}
