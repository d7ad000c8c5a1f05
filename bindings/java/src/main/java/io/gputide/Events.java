package io.gputide;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** The events of a runtime for a loop of its own thread; each is given to one consumer. */
final class Events implements Iterable<Event> {
    private final ScalerRuntime runtime;

    Events(ScalerRuntime runtime) {
        this.runtime = runtime;
    }

    @Override
    public Iterator<Event> iterator() {
        return new Iterator<>() {
            private Event next;

            @Override
            public boolean hasNext() {
                if (next == null) {
                    next = taken(runtime);
                }
                return next != null;
            }

            @Override
            public Event next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the runtime is closed, or the thread was interrupted");
                }
                Event event = next;
                next = null;
                return event;
            }
        };
    }

    /** The next event; null once the runtime is closed, and for an interrupted thread, which stays interrupted. */
    private static Event taken(ScalerRuntime runtime) {
        try {
            return runtime.eventWait(null).here().orElse(null);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return null;
        } catch (GputideException.Cancelled | GputideException.WrongState | IllegalStateException problem) {
            if (runtime.isClosed()) {
                return null;
            }
            throw problem;
        }
    }
}
