package io.gputide;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

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

    /** The events of a runtime for subscribers: a request pulls as many as it says, nothing is kept.  Each event goes to one of them. */
    static final class Publisher implements Flow.Publisher<Event> {
        private final ScalerRuntime runtime;

        Publisher(ScalerRuntime runtime) {
            this.runtime = runtime;
        }

        @Override
        public void subscribe(Flow.Subscriber<? super Event> subscriber) {
            Objects.requireNonNull(subscriber, "subscriber");
            subscriber.onSubscribe(new Pull(runtime, subscriber));
        }

        private static final class Pull implements Flow.Subscription {
            private final ScalerRuntime runtime;
            private final Flow.Subscriber<? super Event> subscriber;
            private final AtomicLong demand = new AtomicLong();
            private Wait<?> wait; // the one under way
            private boolean ended;

            Pull(ScalerRuntime runtime, Flow.Subscriber<? super Event> subscriber) {
                this.runtime = runtime;
                this.subscriber = subscriber;
            }

            @Override
            public void request(long count) {
                if (count <= 0) {
                    fail(new IllegalArgumentException("a request for " + count + " events"));
                } else if (demand.getAndUpdate(wanted -> wanted + count < 0 ? Long.MAX_VALUE : wanted + count) == 0) {
                    Background.run(this::pull);
                }
            }

            @Override
            public void cancel() {
                end();
            }

            /** False where it has ended already. */
            private synchronized boolean end() {
                boolean first = !ended;
                ended = true;
                if (wait != null) {
                    wait.fire();
                }
                return first;
            }

            /** Null once it has ended. */
            private synchronized Wait<Optional<Event>> begun() {
                if (ended) {
                    return null;
                }
                Wait<Optional<Event>> begun = runtime.eventWait(null);
                wait = begun;
                return begun;
            }

            private void pull() {
                do {
                    Wait<Optional<Event>> begun = begun();
                    if (begun == null) {
                        return;
                    }
                    try {
                        begun.here().ifPresent(subscriber::onNext);
                    } catch (Throwable problem) {
                        finish(problem);
                        return;
                    }
                } while (demand.updateAndGet(wanted -> wanted == Long.MAX_VALUE ? wanted : wanted - 1) > 0);
            }

            private void finish(Throwable problem) {
                if (runtime.isClosed()) {
                    if (end()) {
                        subscriber.onComplete();
                    }
                } else {
                    fail(problem);
                }
            }

            private void fail(Throwable problem) {
                if (end()) {
                    subscriber.onError(problem);
                }
            }
        }
    }
}
