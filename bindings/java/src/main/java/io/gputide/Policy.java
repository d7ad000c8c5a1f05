package io.gputide;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The rules of decisions: bounds, thresholds, behavior, cooldown of a ScaledObject or HorizontalPodAutoscaler.  It does not change; calls
 * run side by side.  No source is opened: addresses and credentials may be missing from the manifest.
 */
public final class Policy extends Handle {
    private final List<String> metrics;

    private Policy(long address) {
        super(Use.SHARED, new Pointer(address, Native::policyFree));
        List<String> names = new ArrayList<>();
        for (int index = 0; index < Native.policyMetricCount(address); index++) {
            names.add(Memory.text(Native.policyMetricName(address, index)));
        }
        metrics = List.copyOf(names);
    }

    /**
     * Reads a manifest.
     *
     * @param manifest YAML or JSON
     * @return the policy
     * @throws GputideException.Invalid the manifest is wrong; the exception has file, line and path
     */
    public static Policy open(String manifest) {
        return open(manifest, null);
    }

    /**
     * As {@link #open(String)}.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @return the policy
     */
    public static Policy open(String manifest, Options options) {
        return open(Texts.encoded(manifest), options);
    }

    /**
     * As {@link #open(String)}, from the bytes of a file.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @return the policy
     */
    public static Policy open(byte[] manifest, Options options) {
        try (Frame frame = Frame.take()) {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            frame.check(Native.policyOpen(text, manifest.length, chosen, frame.out(), frame.error()));
            return new Policy(frame.takeLong());
        }
    }

    /** {@return the words for the metrics in every JSON text, in the order in which samples are given} */
    public List<String> metrics() {
        return metrics;
    }

    /** {@return the policy as JSON, each default filled in} */
    public JsonText describe() {
        return json(Native::policyDescribe);
    }

    /** {@return a scaler's memory, empty, as if the object were created at the first decision} */
    public State newState() {
        return newState(null);
    }

    /**
     * A scaler's memory, empty.
     *
     * @param created the object's creationTimestamp, for initialCooldownPeriod; null: the first decision's time
     * @return the state; it decides by this policy, also after that was closed
     */
    public State newState(Instant created) {
        return inside((policy, frame) -> {
            frame.check(Native.stateNew(policy, Times.unixMs(created), frame.out(), frame.error()));
            return new State(frame.takeLong(), pointer().retained(), metrics.size());
        });
    }

    /**
     * The text that {@link State#save} gave, also by an older release.
     *
     * @param text the saved state
     * @return the state; it goes on as the one that was saved
     * @throws GputideException.WrongState the text is damaged, foreign or of a newer release
     */
    public State loadState(String text) {
        return load(Texts.encoded(text), 0);
    }

    /**
     * As {@link #loadState(String)}, from bytes.
     *
     * @param text the saved state
     * @return the state
     */
    public State loadState(byte[] text) {
        return load(text, 0);
    }

    /**
     * The text that {@link State#describe} gave, without a checksum.  Members may be left out, which are fresh then; no decision of before can be
     * recorded.
     *
     * @param text the described state
     * @return the state
     * @throws GputideException.WrongState the text is not such a text
     */
    public State loadDescribedState(String text) {
        return load(Texts.encoded(text), Abi.STATE_UNCHECKED);
    }

    private State load(byte[] text, int flags) {
        return inside((policy, frame) -> {
            frame.check(Native.stateLoad(policy, frame.copy(text), text.length, flags, frame.out(), frame.error()));
            return new State(frame.takeLong(), pointer().retained(), metrics.size());
        });
    }

    @Override
    public String toString() {
        return "Policy" + metrics;
    }
}
