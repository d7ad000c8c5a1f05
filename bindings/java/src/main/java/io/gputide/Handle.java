package io.gputide;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The owner of something of the library: it has to be closed.
 *
 * <p>Any thread may use it.  {@link #close} may be repeated; it refuses new calls, ends those that wait and returns when no call is
 * inside.  A method of a closed one throws {@link IllegalStateException}.  One that is forgotten open is freed after it became
 * unreachable, with a warning in the log {@code io.gputide}.
 */
public abstract sealed class Handle implements AutoCloseable
        permits Credential, Forecast, LogReader, Policy, Replay, Rightsize, Scaler, ScalerRuntime, Series, Source, State {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Lock turn;
    private final Lock last;
    private final Pointer pointer;
    private final Release release;
    private final Cleaner.Cleanable cleanable;
    private final Set<Wait<?>> waits = ConcurrentHashMap.newKeySet(2);
    private volatile boolean closing;

    /** Whether calls take turns, as where C has T *, or run side by side, as where it has const T *. */
    enum Use {
        EXCLUSIVE,
        SHARED
    }

    /** Takes over the first pointer; the others are released with it. */
    Handle(Use use, Pointer pointer, Pointer... companions) {
        this(use, (forgotten, end) -> end.run(), pointer, companions);
    }

    /** ending: what becomes of a forgotten one. */
    Handle(Use use, Ending ending, Pointer pointer, Pointer... companions) {
        if (use == Use.EXCLUSIVE) {
            turn = new ReentrantLock();
            last = turn;
        } else {
            ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
            turn = lock.readLock();
            last = lock.writeLock();
        }
        this.pointer = pointer;
        release = new Release(getClass().getSimpleName(), pointer, List.of(companions), ending);
        cleanable = CLEANER.register(this, release);
    }

    /** Called by the collector for a forgotten handle. */
    private static final class Release implements Runnable {
        private final String name;
        private final Pointer pointer;
        private final List<Pointer> companions;
        private final Ending ending;
        private boolean closed;

        Release(String name, Pointer pointer, List<Pointer> companions, Ending ending) {
            this.name = name;
            this.pointer = pointer;
            this.companions = companions;
            this.ending = ending;
        }

        @Override
        public void run() {
            if (closed) {
                end();
                return;
            }
            System.getLogger("io.gputide").log(System.Logger.Level.WARNING, "a {0} was forgotten open: close it", name);
            ending.forgotten(pointer, this::end);
        }

        private void end() {
            pointer.release();
            companions.forEach(Pointer::release);
        }
    }

    /** Ends a forgotten handle; the collector's thread must not wait. */
    interface Ending {
        void forgotten(Pointer pointer, Runnable end);
    }

    /** {@return whether it was closed, or is being closed} */
    public final boolean isClosed() {
        return closing;
    }

    /** Ends calls that wait with it, waits until no call is inside, frees.  May be repeated. */
    @Override
    public void close() {
        beginClosing();
        last.lock();
        try {
            endClosing();
        } finally {
            last.unlock();
        }
    }

    /** From here on calls are refused. */
    final void beginClosing() {
        closing = true;
        waits.forEach(Wait::fire);
    }

    /** Frees it unless it is open; no call is inside. */
    private void endClosing() {
        release.closed = true;
        cleanable.clean();
    }

    /** Uses an entered handle. */
    final long address() {
        return pointer.address();
    }

    final Pointer pointer() {
        return pointer;
    }

    /** Before a call of C; then {@link #leave}. */
    final long enter() {
        turn.lock();
        return entered();
    }

    /** As {@link #enter}, within so many milliseconds; false where others took longer. */
    final boolean enterWithin(int timeoutMs) throws InterruptedException {
        if (timeoutMs == Times.FOREVER_MS) {
            turn.lockInterruptibly();
        } else if (!turn.tryLock(timeoutMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        entered();
        return true;
    }

    private long entered() {
        if (closing) {
            turn.unlock();
            throw new IllegalStateException("this " + release.name + " is closed");
        }
        return pointer.address();
    }

    final void leave() {
        turn.unlock();
        Reference.reachabilityFence(this);
    }

    final void add(Wait<?> wait) {
        waits.add(wait);
    }

    final void remove(Wait<?> wait) {
        waits.remove(wait);
    }

    /** A call of C on an entered handle. */
    interface Call<T> {
        T on(long handle, Frame frame);
    }

    final <T> T inside(Call<T> call) {
        try (Frame frame = Frame.take()) {
            long handle = enter();
            try {
                return call.on(handle, frame);
            } finally {
                leave();
            }
        }
    }

    /** A C function that fills a text. */
    interface Writes {
        int into(long handle, long text, long error);
    }

    final String text(Writes function) {
        return inside((handle, frame) -> {
            frame.check(function.into(handle, frame.text(), frame.error()));
            return frame.takeText();
        });
    }

    final JsonText json(Writes function) {
        return JsonText.of(text(function));
    }

    /** A C function that only says how it went. */
    interface Acts {
        int on(long handle, Frame frame);
    }

    final void act(Acts function) {
        inside((handle, frame) -> {
            frame.check(function.on(handle, frame));
            return null;
        });
    }
}
