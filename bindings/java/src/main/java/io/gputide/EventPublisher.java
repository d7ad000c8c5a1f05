package io.gputide;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;

/** The events of a runtime for subscribers: a request pulls as many as it says, nothing is kept.  Each event goes to one of them. */
final class EventPublisher implements Flow.Publisher<Event> {
    private final ScalerRuntime runtime;

    EventPublisher(ScalerRuntime runtime) {
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
