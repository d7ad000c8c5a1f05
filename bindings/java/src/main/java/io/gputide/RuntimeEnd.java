package io.gputide;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** The end of a runtime, which may take long: callers take turns at waiting for it, and a call with too little time comes again. */
final class RuntimeEnd {
    private final ScalerRuntime runtime;
    private final Runnable free;
    private final ReentrantLock turn = new ReentrantLock();
    private boolean ended;

    /** free: what closes the handle, once the runtime has ended. */
    RuntimeEnd(ScalerRuntime runtime, Runnable free) {
        this.runtime = runtime;
        this.free = free;
    }

    /** However long that takes. */
    void await() {
        runtime.beginClosing();
        turn.lock();
        try {
            end(Times.FOREVER_MS);
        } finally {
            turn.unlock();
        }
    }

    /** Within a time, for the turn and for the end each. */
    void await(Duration timeout) throws InterruptedException {
        int timeoutMs = Times.durationMs(timeout);
        runtime.beginClosing();
        if (!turn.tryLock(timeoutMs, TimeUnit.MILLISECONDS)) {
            throw Failures.timeout("another thread has been closing the runtime for longer than " + timeoutMs + " ms");
        }
        try {
            end(timeoutMs);
        } finally {
            turn.unlock();
        }
    }

    private void end(int timeoutMs) {
        if (ended) {
            return;
        }
        try (Frame frame = Frame.take()) {
            frame.check(Native.runtimeClose(runtime.address(), timeoutMs, frame.error()));
        }
        free.run();
        ended = true;
        Background.remove(runtime);
    }

    /** When the program ends: daemon threads may be inside still, so nothing is freed.  0 ms: only begins. */
    void atExit(int timeoutMs) {
        runtime.beginClosing();
        if (turn.tryLock()) {
            try {
                if (!ended) {
                    Native.runtimeClose(runtime.address(), timeoutMs, 0);
                }
            } finally {
                turn.unlock();
            }
        }
    }

    /** A forgotten runtime's thread has to end before it is freed, which the collector must not wait for. */
    static void forgotten(Pointer pointer, Runnable free) {
        Background.run(() -> {
            Native.runtimeClose(pointer.address(), Times.FOREVER_MS, 0);
            free.run();
        });
    }
}
