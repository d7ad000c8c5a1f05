package io.gputide;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A C handle and how many objects here need it: a policy outlives its own close while a state decides by it. */
final class Pointer {
    private static final AtomicLong ALIVE = new AtomicLong();

    private final LongConsumer free;
    private final long address;
    private int users = 1;

    Pointer(long address, LongConsumer free) {
        this.address = address;
        this.free = free;
        ALIVE.incrementAndGet();
    }

    /** C handles that this process holds. */
    static long alive() {
        return ALIVE.get();
    }

    /** The caller has entered or retained it. */
    long address() {
        return address;
    }

    synchronized Pointer retained() {
        users++;
        return this;
    }

    void release() {
        synchronized (this) {
            if (--users != 0) {
                return;
            }
        }
        free.accept(address);
        ALIVE.decrementAndGet();
    }
}
