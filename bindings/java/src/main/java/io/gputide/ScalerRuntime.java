package io.gputide;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * Many scalers in one process: polled at their intervals, over shared connections and tokens; each decision that matters comes as an
 * event.  It is driven by a thread of its own ({@link #start}), by the host ({@link #step}), or by the caller that waits for an event.  Calls run
 * side by side.  Save the scalers' states before closing it.
 */
public final class ScalerRuntime extends Handle {
    private final RuntimeEnd end = new RuntimeEnd(this, super::close);

    private ScalerRuntime(long address) {
        super(Use.SHARED, RuntimeEnd::forgotten, new Pointer(address, Native::runtimeFree));
    }

    /** {@return a runtime with the library's defaults; nothing is sent and no thread is started} */
    public static ScalerRuntime create() {
        return create(null);
    }

    /**
     * As {@link #create()}.
     *
     * @param options how it polls; may be null
     * @return the runtime
     */
    public static ScalerRuntime create(RuntimeOptions options) {
        try (Frame frame = Frame.take()) {
            frame.check(Native.runtimeNew(RuntimeOptions.in(frame, options), frame.out(), frame.error()));
            ScalerRuntime runtime = new ScalerRuntime(frame.takeLong());
            Background.add(runtime);
            return runtime;
        }
    }

    /**
     * One more scaler.  It is polled from the first observation on.
     *
     * @param manifest YAML or JSON
     * @return its number in this runtime, never 0 and never used again
     * @throws GputideException.Invalid the manifest is wrong, or its name is there already
     */
    public long add(String manifest) {
        return add(manifest, null);
    }

    /**
     * As {@link #add(String)}.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @return its number
     */
    public long add(String manifest, Options options) {
        return add(Texts.encoded(manifest), options, 0);
    }

    /**
     * As {@link #add(String)}, from the bytes of a file.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @param tag the host's own number for it; it comes back in each of its events
     * @return its number
     */
    public long add(byte[] manifest, Options options, long tag) {
        return inside((runtime, frame) -> {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            frame.check(Native.runtimeAdd(runtime, text, manifest.length, chosen, tag, frame.out(), frame.error()));
            return frame.takeLong();
        });
    }

    /**
     * Another manifest for the same name: observation, pushed samples, schedule, tag and, where it fits, state stay.
     *
     * @param id of the scaler
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @throws GputideException.NotFound no such scaler
     */
    public void replace(long id, String manifest, Options options) {
        byte[] bytes = Texts.encoded(manifest);
        act((runtime, frame) -> Native.runtimeReplace(
                runtime, id, frame.copy(bytes), bytes.length, Options.in(frame, options), 0, frame.error()));
    }

    /**
     * As {@link #replace(long, String, Options)}, from the bytes of a file and with another tag.
     *
     * @param id of the scaler
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @param tag the host's own number for it
     */
    public void replace(long id, byte[] manifest, Options options, long tag) {
        act((runtime, frame) -> {
            Struct number = frame.struct(Long.BYTES);
            number.putLong(0, tag);
            return Native.runtimeReplace(
                    runtime, id, frame.copy(manifest), manifest.length, Options.in(frame, options), number.address, frame.error());
        });
    }

    /**
     * Ends a scaler, what it is asking and the event that waits for it.
     *
     * @param id of the scaler
     * @throws GputideException.NotFound no such scaler
     */
    public void remove(long id) {
        act((runtime, frame) -> Native.runtimeRemove(runtime, id, frame.error()));
    }

    /**
     * The number of a scaler.
     *
     * @param name "namespace/name"
     * @return its number
     * @throws GputideException.NotFound no such scaler
     */
    public long find(String name) {
        byte[] wanted = Texts.terminated(name, "name");
        return inside((runtime, frame) -> {
            frame.check(Native.runtimeFind(runtime, frame.copy(wanted), frame.out(), frame.error()));
            return frame.takeLong();
        });
    }

    /**
     * The scaler behind another, in an order of the runtime's own.
     *
     * @param after that other; 0: the first
     * @return its number
     * @throws GputideException.NotFound behind the last one
     */
    public long nextScaler(long after) {
        return inside((runtime, frame) -> {
            frame.check(Native.runtimeNextScaler(runtime, after, frame.out(), frame.error()));
            return frame.takeLong();
        });
    }

    /** {@return all scalers; one that is there all the while is in it once, whatever else is added and removed meanwhile} */
    public List<Long> scalers() {
        List<Long> ids = new ArrayList<>();
        try {
            for (long id = nextScaler(0); ; id = nextScaler(id)) {
                ids.add(id);
            }
        } catch (GputideException.NotFound behindTheLast) {
            return List.copyOf(ids);
        }
    }

    /**
     * Sets what is true of a scaler's target now; used until the next one.  The first starts the polling.
     *
     * @param id of the scaler
     * @param observation its samples may be none, or as for {@link #push}
     */
    public void observe(long id, Observation observation) {
        act((runtime, frame) -> Native.runtimeObserve(runtime, id, observation.in(frame), frame.error()));
    }

    /**
     * Numbers of metrics that the host brings; used by the polls to come until others are pushed.
     *
     * @param id of the scaler
     * @param samples one per metric of the policy; {@link Sample#notGiven} keeps what was
     */
    public void push(long id, List<Sample> samples) {
        act((runtime, frame) -> Native.runtimePush(
                runtime, id, Sample.in(frame, samples), Abi.Sample.SIZE, samples.size(), frame.error()));
    }

    /**
     * The next event.  Drives the runtime meanwhile, by the clock, where no thread does.
     *
     * @param timeout zero: looks and does not wait
     * @return the event; empty where none came in time
     * @throws InterruptedException the thread was interrupted; an event that was there still waits
     */
    public Optional<Event> nextEvent(Duration timeout) throws InterruptedException {
        return timeout.isZero() ? inside((runtime, frame) -> Event.next(runtime, 0, 0, frame)) : eventWait(timeout).here();
    }

    /**
     * As {@link #nextEvent}, in the background.
     *
     * @param timeout more than zero
     * @return the event to come; canceling it ends the wait
     */
    public CompletableFuture<Optional<Event>> nextEventAsync(Duration timeout) {
        return eventWait(timeout).async();
    }

    /** timeout: null is for ever. */
    Wait<Optional<Event>> eventWait(Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> Event.next(address(), cancel, timeoutMs, frame), this);
    }

    /** {@return every event until this is closed or the thread interrupted, for a loop; it drives the runtime where no thread does} */
    public Iterable<Event> events() {
        return new Events(this);
    }

    /**
     * Every event for subscribers: their demand pulls them, in a thread of the background.
     *
     * @return a publisher; each event goes to one of its subscribers, and a subscriber that has asked for more sees the end once this is closed
     */
    public Flow.Publisher<Event> publisher() {
        return new Events.Publisher(this);
    }

    /**
     * Records how the write of an event's decision went, once; now by the clock.
     *
     * @param event that asked for a write
     * @param applied whether it was written: its size is taken to be the target's from now on
     * @return the decision with its conditions and event as they are now
     * @throws GputideException.WrongState it is recorded already, or settled by a later one
     */
    public Decision record(Event event, boolean applied) {
        return record(event.id(), event.decision(), applied, null);
    }

    /**
     * As {@link #record(Event, boolean)}, for a decision without its event.
     *
     * @param id of the scaler
     * @param decision that asked for a write
     * @param applied whether it was written
     * @param now when; null: by the clock
     * @return the decision with its conditions and event as they are now
     */
    public Decision record(long id, Decision decision, boolean applied, Instant now) {
        return inside((runtime, frame) -> {
            Struct made = decision.in(frame);
            frame.check(Native.runtimeRecord(
                    runtime, id, made.address, applied ? 1 : 0, Times.nowMs(now), frame.error()));
            return Decision.of(made, decision.reportText());
        });
    }

    /**
     * A scaler's state.
     *
     * @param id of the scaler
     * @return text that survives a restart of the host
     */
    public String save(long id) {
        return text((runtime, text, error) -> Native.runtimeSave(runtime, id, text, error));
    }

    /**
     * The text that {@link #save} gave, in place of the scaler's state.
     *
     * @param id of the scaler
     * @param text the saved state
     * @throws GputideException.WrongState the text is damaged, foreign or of a newer release
     */
    public void load(long id, String text) {
        load(id, Texts.encoded(text));
    }

    /**
     * As {@link #load(long, String)}, from bytes.
     *
     * @param id of the scaler
     * @param text the saved state
     */
    public void load(long id, byte[] text) {
        act((runtime, frame) -> Native.runtimeLoad(runtime, id, frame.copy(text), text.length, frame.error()));
    }

    /**
     * One scaler: its numbers, its observation, its last decision, its metrics.
     *
     * @param id of the scaler
     * @return a JSON object
     */
    public JsonText describe(long id) {
        return json((runtime, text, error) -> Native.runtimeDescribe(runtime, id, text, error));
    }

    /** {@return counters of the whole: poll lag, errors by reason, queues, endpoints with their breakers} */
    public JsonText stats() {
        return json(Native::runtimeStats);
    }

    /**
     * Works on a Kubernetes cluster by itself from now on; events of kind CLUSTER tell what it does.
     *
     * @param settings JSON or YAML, docs/kubernetes.md; empty: the defaults
     * @param options which cluster, and with which identity; may be null
     * @throws GputideException.WrongState one is attached already
     */
    public void attachCluster(String settings, Options options) {
        byte[] encoded = Texts.encoded(settings);
        act((runtime, frame) -> Native.clusterAttach(
                runtime, frame.copy(encoded), encoded.length, Options.in(frame, options), frame.error()));
    }

    /**
     * Writes nothing any more, gives the Leases back and forgets its scalers.
     *
     * @param timeout zero: only begins
     * @throws GputideException.Timeout it goes on with it: call again
     */
    public void detachCluster(Duration timeout) {
        int timeoutMs = Times.durationMs(timeout);
        act((runtime, frame) -> Native.clusterDetach(runtime, timeoutMs, frame.error()));
    }

    /** {@return leases, watches, writes by result, blocked scalers and why} */
    public JsonText describeCluster() {
        return json(Native::clusterDescribe);
    }

    /**
     * Starts the runtime's own thread.
     *
     * @throws GputideException.WrongState it runs already, or the host drives at this moment
     */
    public void start() {
        act((runtime, frame) -> Native.runtimeStart(runtime, frame.error()));
    }

    /**
     * Ends the runtime's own thread; scalers and events stay.
     *
     * @param timeout zero: only begins
     * @throws GputideException.Timeout it is still stopping: call again
     */
    public void stop(Duration timeout) {
        int timeoutMs = Times.durationMs(timeout);
        act((runtime, frame) -> Native.runtimeStop(runtime, timeoutMs, frame.error()));
    }

    /**
     * Does what is due and what the network has brought, without waiting.
     *
     * @param now by the host's clock; null: by the system's
     * @return when to call again at the latest; empty: when something was changed
     * @throws GputideException.WrongState its own thread, or another call, drives it
     */
    public Optional<Instant> step(Instant now) {
        return inside((runtime, frame) -> {
            frame.check(Native.runtimeStep(runtime, Times.nowMs(now), frame.out(), frame.error()));
            long next = frame.takeLong();
            return next == Long.MAX_VALUE ? Optional.empty() : Optional.of(Instant.ofEpochMilli(next));
        });
    }

    /** {@return a descriptor for native code that polls: readable while an event waits and while {@link #step} should be called} */
    public int wakeFd() {
        return inside((runtime, frame) -> {
            frame.check(Native.runtimeWakeFd(runtime, frame.out(), frame.error()));
            return frame.takeInt();
        });
    }

    /** Ends the runtime for good, however long that takes: calls inside end soon, waits for events included, and its thread. */
    @Override
    public void close() {
        end.await();
    }

    /**
     * As {@link #close()}, within a time.
     *
     * @param timeout zero: only begins
     * @throws GputideException.Timeout that took longer: call again
     * @throws InterruptedException the thread was interrupted while another closed it: call again
     */
    public void close(Duration timeout) throws InterruptedException {
        end.await(timeout);
    }

    /** When the program ends. */
    void exit(int timeoutMs) {
        end.atExit(timeoutMs);
    }
}
