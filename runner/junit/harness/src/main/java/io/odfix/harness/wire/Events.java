package io.odfix.harness.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The event pipe. Each frame is sent in one write. Several threads send frames: the runner, the
 * command reader, the exit hook.
 */
public final class Events {
    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();

    public Events(OutputStream out) {
        this.out = out;
    }

    /** Sends a frame. Ends the process if the other end of the pipe is closed. */
    public void send(Frame frame) {
        lock.lock();
        try {
            write(frame);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a frame while the JVM exits. Another thread may hold the lock for ever, in a write that
     * is never read.
     */
    public void sendLast(Frame frame) {
        boolean mine = false;
        try {
            mine = lock.tryLock(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            mine = lock.tryLock();
        }
        if (mine) {
            try {
                write(frame);
            } finally {
                lock.unlock();
            }
        }
    }

    private void write(Frame frame) {
        try {
            out.write(frame.sealed(), 0, frame.size());
        } catch (IOException e) {
            ProcessEnd.now(3);
        }
    }
}
