package io.gputide;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The settings of a runtime's polls; what is not said here has the library's default, docs/runtime.md.  Each method gives options of its own and leaves
 * these as they are.
 */
public final class RuntimeOptions {
    private static final RuntimeOptions NONE = new RuntimeOptions(0, 0, Map.of());

    private final int flags;
    private final long seed;
    private final Map<Integer, Integer> numbers; // by their offsets in gputide_runtime_options

    private RuntimeOptions(int flags, long seed, Map<Integer, Integer> numbers) {
        this.flags = flags;
        this.seed = seed;
        this.numbers = numbers;
    }

    /** {@return the library's defaults} */
    public static RuntimeOptions create() {
        return NONE;
    }

    /** {@return these, with events also for decisions that change nothing} */
    public RuntimeOptions everyDecision() {
        return with(Abi.RUNTIME_EVERY_DECISION);
    }

    /** {@return these, with events that carry the decision as JSON} */
    public RuntimeOptions reports() {
        return with(Abi.RUNTIME_REPORTS);
    }

    /** {@return these, with each scaler asking for itself, also where two ask the same} */
    public RuntimeOptions noSharing() {
        return with(Abi.RUNTIME_NO_SHARING);
    }

    /** {@return these, with each poll beginning with an observation that an event of kind DUE asks for} */
    public RuntimeOptions observeFirst() {
        return with(Abi.RUNTIME_OBSERVE_FIRST);
    }

    /**
     * The start of a scaler in its period follows from this.
     *
     * @param seed 64 bits without a sign
     * @return these with it
     */
    public RuntimeOptions seed(long seed) {
        return new RuntimeOptions(flags, seed, numbers);
    }

    /**
     * The time that one poll may take: tokens, queries, retries.
     *
     * @param timeout of one poll
     * @return these with it
     */
    public RuntimeOptions pollTimeout(Duration timeout) {
        return with(Abi.RuntimeOptions.POLL_TIMEOUT_MS, Times.durationMs(timeout));
    }

    /**
     * Within what time first polls come.
     *
     * @param spread from the first observation on
     * @return these with it
     */
    public RuntimeOptions startSpread(Duration spread) {
        return with(Abi.RuntimeOptions.START_SPREAD_MS, Times.durationMs(spread));
    }

    /**
     * For how long an answer serves equal queries.
     *
     * @param window from the answer on
     * @return these with it
     */
    public RuntimeOptions shareWindow(Duration window) {
        return with(Abi.RuntimeOptions.SHARE_WINDOW_MS, Times.durationMs(window));
    }

    /**
     * The number of requests that may be under way, over all endpoints.
     *
     * @param requests at most
     * @return these with it
     */
    public RuntimeOptions maxInFlight(int requests) {
        return with(Abi.RuntimeOptions.MAX_IN_FLIGHT, requests);
    }

    /**
     * The number of requests that may be under way to one scheme, host and port.
     *
     * @param requests at most
     * @return these with it
     */
    public RuntimeOptions maxPerEndpoint(int requests) {
        return with(Abi.RuntimeOptions.MAX_PER_ENDPOINT, requests);
    }

    /**
     * After how many failures in a row an endpoint is left alone for a while.
     *
     * @param failures in a row
     * @return these with it
     */
    public RuntimeOptions breakerFailures(int failures) {
        return with(Abi.RuntimeOptions.BREAKER_FAILURES, failures);
    }

    /**
     * For how long at first; it doubles with each failed trial.
     *
     * @param base at first
     * @return these with it
     */
    public RuntimeOptions breakerBase(Duration base) {
        return with(Abi.RuntimeOptions.BREAKER_BASE_MS, Times.durationMs(base));
    }

    /**
     * And for how long at most.
     *
     * @param cap not less than at first
     * @return these with it
     */
    public RuntimeOptions breakerCap(Duration cap) {
        return with(Abi.RuntimeOptions.BREAKER_CAP_MS, Times.durationMs(cap));
    }

    /**
     * A poll brings along those that are due within so long.
     *
     * @param gather at most a second
     * @return these with it
     */
    public RuntimeOptions gather(Duration gather) {
        return with(Abi.RuntimeOptions.GATHER_MS, Times.durationMs(gather));
    }

    private RuntimeOptions with(int flag) {
        return new RuntimeOptions(flags | flag, seed, numbers);
    }

    private RuntimeOptions with(int offset, int number) {
        Map<Integer, Integer> more = new LinkedHashMap<>(numbers);
        more.put(offset, number);
        return new RuntimeOptions(flags, seed, Map.copyOf(more));
    }

    /** A gputide_runtime_options; 0, C's NULL, for null. */
    static long in(Frame frame, RuntimeOptions options) {
        if (options == null) {
            return 0;
        }
        Struct raw = frame.struct(Abi.RuntimeOptions.SIZE);
        raw.putInt(Abi.RuntimeOptions.STRUCT_SIZE, Abi.RuntimeOptions.SIZE);
        raw.putInt(Abi.RuntimeOptions.FLAGS, options.flags);
        raw.putLong(Abi.RuntimeOptions.SEED, options.seed);
        options.numbers.forEach(raw::putInt);
        return raw.address;
    }
}
