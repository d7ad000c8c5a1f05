package io.gputide;

import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * One call of a C function that may wait: its deadline, which holds for the wait for its turn too, and its cancel, which an interrupt,
 * a future's cancel and the closing of a handle fire.
 */
final class Wait<T> {
    private final int timeoutMs;
    private final Call<T> call;
    private final List<Handle> handles;
    private long cancel; // gputide_cancel*, while C may look at it
    private boolean fired;

    /** The call of C; the handles are entered. */
    interface Call<T> {
        T with(long cancel, int timeoutMs, Frame frame);
    }

    /** timeout: null is for ever, where C allows it. */
    Wait(Duration timeout, Call<T> call, Handle... handles) {
        this.timeoutMs = timeout == null ? Times.FOREVER_MS : Times.durationMs(timeout);
        this.call = call;
        this.handles = List.of(handles);
    }

    /** Ends it now, or as soon as it begins. */
    synchronized void fire() {
        fired = true;
        if (cancel != 0) {
            Native.cancelFire(cancel);
        }
    }

    /** From this thread.  A virtual one would hold its carrier while it is in C, so that another thread goes there for it. */
    T here() throws InterruptedException {
        return Background.isVirtual() ? elsewhere() : run();
    }

    /** In a thread of the background. */
    CompletableFuture<T> async() {
        CompletableFuture<T> future = new CompletableFuture<>();
        future.whenComplete((value, problem) -> fire()); // another thread completed it: the call has no use any more
        Background.run(() -> {
            try {
                T value = run();
                if (!future.complete(value) && value instanceof Handle handle) {
                    handle.close();
                }
            } catch (Throwable problem) {
                future.completeExceptionally(problem);
            }
        });
        return future;
    }

    T elsewhere() throws InterruptedException {
        CompletableFuture<T> done = new CompletableFuture<>();
        Background.run(() -> {
            try {
                done.complete(run());
            } catch (Throwable problem) {
                done.completeExceptionally(problem);
            }
        });
        boolean interrupted = false;
        while (true) {
            try {
                T value = done.get();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return value;
            } catch (InterruptedException interrupt) {
                interrupted = true;
                fire(); // C ends soon, and must have ended before the caller goes on
            } catch (ExecutionException failed) {
                throw thrown(failed.getCause(), interrupted);
            }
        }
    }

    private static RuntimeException thrown(Throwable problem, boolean interrupted) throws InterruptedException {
        if (problem instanceof InterruptedException || interrupted && problem instanceof GputideException.Cancelled) {
            throw new InterruptedException();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (problem instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) problem;
    }

    private T run() throws InterruptedException {
        Interrupts interrupts = new Interrupts(this);
        T value = null;
        RuntimeException problem = null;
        interrupts.start();
        try {
            value = counted();
        } catch (RuntimeException failed) {
            problem = failed;
        } finally {
            interrupts.stop();
        }
        if (problem instanceof GputideException.Cancelled && interrupts.happened) {
            Thread.interrupted();
            throw new InterruptedException();
        }
        if (problem != null) {
            throw problem;
        }
        return value;
    }

    /** It is found when a handle is closed or the program ends. */
    private T counted() throws InterruptedException {
        Background.add(this);
        handles.forEach(handle -> handle.add(this));
        try {
            return entered(0, System.nanoTime());
        } finally {
            handles.forEach(handle -> handle.remove(this));
            Background.remove(this);
        }
    }

    private T entered(int index, long started) throws InterruptedException {
        if (index == handles.size()) {
            return inC(left(started));
        }
        Handle handle = handles.get(index);
        if (!handle.enterWithin(left(started))) {
            throw Failures.timeout("another call had the " + handle.getClass().getSimpleName() + " for longer than "
                    + timeoutMs + " ms; calls on it take turns");
        }
        try {
            return entered(index + 1, started);
        } finally {
            handle.leave();
        }
    }

    /** C takes no timeout of 0 where it has to wait; one that was given as 0 is C's to judge. */
    private int left(long started) {
        if (timeoutMs <= 0) {
            return timeoutMs;
        }
        long spent = (System.nanoTime() - started) / 1_000_000;
        return (int) Math.max(1, timeoutMs - spent);
    }

    private T inC(int leftMs) {
        try (Frame frame = Frame.take()) {
            frame.check(Native.cancelNew(frame.out(), frame.error()));
            long made = frame.takeLong();
            begin(made);
            try {
                return call.with(made, leftMs, frame);
            } finally {
                end();
                Native.cancelFree(made);
            }
        }
    }

    private synchronized void begin(long made) {
        cancel = made;
        if (fired) {
            Native.cancelFire(made);
        }
    }

    private synchronized void end() {
        cancel = 0;
    }

    /** Thread.interrupt reaches a thread that is in C as it reaches one in a read of a channel. */
    private static final class Interrupts extends AbstractInterruptibleChannel {
        private final Wait<?> wait;
        private boolean happened;

        Interrupts(Wait<?> wait) {
            this.wait = wait;
        }

        void start() {
            begin();
        }

        void stop() {
            try {
                end(true);
            } catch (AsynchronousCloseException interrupted) {
                happened = true;
            }
        }

        @Override
        protected void implCloseChannel() {
            wait.fire();
        }
    }
}
