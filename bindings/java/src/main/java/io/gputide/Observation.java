package io.gputide;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * The current facts: the target's size, its pods, numbers that the host brings.  Each method gives an observation of its own and leaves
 * this one as it is.
 */
public final class Observation {
    private final int current;
    private Instant now; // null: the clock's
    private List<Sample> samples = List.of();
    private int statusReplicas;
    private int readyReplicas;
    private int flags;
    private List<Pod> pods = List.of();
    private List<PodSample> podSamples = List.of();
    private String message; // null: none
    private boolean report;

    private Observation(int current) {
        this.current = current;
    }

    private Observation(Observation other) {
        current = other.current;
        now = other.now;
        samples = other.samples;
        statusReplicas = other.statusReplicas;
        readyReplicas = other.readyReplicas;
        flags = other.flags;
        pods = other.pods;
        podSamples = other.podSamples;
        message = other.message;
        report = other.report;
    }

    /**
     * The present size, now by the clock.
     *
     * @param current the target's spec.replicas
     * @return the observation
     */
    public static Observation of(int current) {
        return new Observation(current);
    }

    /** {@return one of a target with an unreadable size} */
    public static Observation unreadable() {
        Observation made = new Observation(0);
        made.flags = Abi.SCALE_UNREADABLE;
        return made;
    }

    /**
     * Why the target's size could not be read, for conditions.
     *
     * @param message null: unknown
     * @return this with it
     */
    public Observation because(String message) {
        Observation made = new Observation(this);
        made.message = message;
        return made;
    }

    /**
     * At a time of the host's own, instead of the clock's.
     *
     * @param now from 1970 to 9999
     * @return this at that time
     */
    public Observation at(Instant now) {
        Observation made = new Observation(this);
        made.now = now;
        return made;
    }

    /**
     * Numbers that are true now.
     *
     * @param values one per metric of the policy, in its order; NaN and the infinities: that metric has no number
     * @return this with them
     */
    public Observation values(double... values) {
        return samples(Arrays.stream(values).mapToObj(Sample::of).toList());
    }

    /**
     * Numbers, or why there are none.
     *
     * @param samples one per metric of the policy, in its order
     * @return this with them
     */
    public Observation samples(List<Sample> samples) {
        Observation made = new Observation(this);
        made.samples = List.copyOf(samples);
        return made;
    }

    /**
     * The target's status.replicas, where they are not its spec.replicas.
     *
     * @param replicas pods that exist
     * @return this with them
     */
    public Observation statusReplicas(int replicas) {
        Observation made = new Observation(this);
        made.statusReplicas = replicas;
        made.flags |= replicas == 0 ? Abi.OBSERVED_STATUS : 0;
        return made;
    }

    /**
     * Pods that are ready, where not all are.
     *
     * @param replicas how many
     * @return this with them
     */
    public Observation readyReplicas(int replicas) {
        Observation made = new Observation(this);
        made.readyReplicas = replicas;
        made.flags |= replicas == 0 ? Abi.OBSERVED_READY : 0;
        return made;
    }

    /**
     * All pods of the target, for metrics of type Pods, Resource and ContainerResource.
     *
     * @param pods as the pod samples count them; none: the target has no pods
     * @param samples what they have of each metric
     * @return this with them
     */
    public Observation pods(List<Pod> pods, List<PodSample> samples) {
        Observation made = new Observation(this);
        made.pods = List.copyOf(pods);
        made.podSamples = List.copyOf(samples);
        made.flags |= Abi.OBSERVED_PODS;
        return made;
    }

    /** {@return this; a decision on it has its whole reason with it: {@link Decision#report}} */
    public Observation withReport() {
        Observation made = new Observation(this);
        made.report = true;
        return made;
    }

    /** The report argument of a deciding call: 0, C's NULL, where none is wanted. */
    long reportIn(Frame frame) {
        return report ? frame.text() : 0;
    }

    long in(Frame frame) {
        Struct raw = frame.struct(Abi.Observation.SIZE);
        raw.putInt(Abi.Observation.STRUCT_SIZE, Abi.Observation.SIZE);
        raw.putInt(Abi.Observation.FLAGS, flags);
        raw.putLong(Abi.Observation.NOW_MS, Times.nowMs(now));
        raw.putInt(Abi.Observation.CURRENT_REPLICAS, current);
        raw.putInt(Abi.Observation.STATUS_REPLICAS, statusReplicas);
        raw.putInt(Abi.Observation.READY_REPLICAS, readyReplicas);
        if (message != null) {
            raw.putLong(Abi.Observation.MESSAGE, frame.copy(Texts.terminated(message, "an observation's message")));
        }
        if (!samples.isEmpty()) {
            raw.putLong(Abi.Observation.SAMPLES, Sample.in(frame, samples));
            raw.putInt(Abi.Observation.SAMPLE_COUNT, samples.size());
            raw.putInt(Abi.Observation.SAMPLE_SIZE, Abi.Sample.SIZE);
        }
        if (!pods.isEmpty()) {
            raw.putLong(Abi.Observation.PODS, podsIn(frame));
            raw.putInt(Abi.Observation.POD_COUNT, pods.size());
            raw.putInt(Abi.Observation.POD_SIZE, Abi.Pod.SIZE);
        }
        if (!podSamples.isEmpty()) {
            raw.putLong(Abi.Observation.POD_SAMPLES, podSamplesIn(frame));
            raw.putInt(Abi.Observation.POD_SAMPLE_COUNT, podSamples.size());
            raw.putInt(Abi.Observation.POD_SAMPLE_SIZE, Abi.PodSample.SIZE);
        }
        return raw.address;
    }

    private long podsIn(Frame frame) {
        Struct array = frame.struct(Math.multiplyExact(pods.size(), Abi.Pod.SIZE));
        for (int index = 0; index < pods.size(); index++) {
            pods.get(index).in(frame, array, index * Abi.Pod.SIZE);
        }
        return array.address;
    }

    private long podSamplesIn(Frame frame) {
        Struct array = frame.struct(Math.multiplyExact(podSamples.size(), Abi.PodSample.SIZE));
        for (int index = 0; index < podSamples.size(); index++) {
            podSamples.get(index).in(frame, array, index * Abi.PodSample.SIZE);
        }
        return array.address;
    }
}
