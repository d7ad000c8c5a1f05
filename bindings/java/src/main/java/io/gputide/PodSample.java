package io.gputide;

import java.time.Instant;

/** The value of one metric for one pod.  Values are thousandths, as Kubernetes counts them.  Each method gives a sample of its own. */
public final class PodSample {
    private final int metric;
    private final int pod;
    private final long valueMilli;
    private final long requestMilli;
    private final long timeMs;
    private final int windowSeconds;
    private final String container; // null: none

    private PodSample(
            int metric, int pod, long valueMilli, long requestMilli, long timeMs, int windowSeconds, String container) {
        this.metric = metric;
        this.pod = pod;
        this.valueMilli = valueMilli;
        this.requestMilli = requestMilli;
        this.timeMs = timeMs;
        this.windowSeconds = windowSeconds;
        this.container = container;
    }

    /**
     * The value of one metric for one pod.
     *
     * @param metric index of the policy's metric, from 0
     * @param pod which of the observation's pods, from 1; 0: one that is not listed
     * @param valueMilli thousandths
     * @return the sample
     */
    public static PodSample of(int metric, int pod, long valueMilli) {
        return new PodSample(metric, pod, valueMilli, 0, 0, 0, null);
    }

    /**
     * A pod of which the request is known alone.
     *
     * @param metric index of the policy's metric, from 0
     * @param pod which of the observation's pods, from 1
     * @param requestMilli thousandths
     * @return the sample
     */
    public static PodSample requestAlone(int metric, int pod, long requestMilli) {
        return new PodSample(metric, pod, Abi.NO_VALUE, requestMilli, 0, 0, null);
    }

    /**
     * The request of the pod, for a target of type Utilization.
     *
     * @param requestMilli thousandths; 0: no request
     * @return this with it
     */
    public PodSample request(long requestMilli) {
        return new PodSample(metric, pod, valueMilli, requestMilli, timeMs, windowSeconds, container);
    }

    /**
     * When it was true.
     *
     * @param time null: now
     * @return this at that time
     */
    public PodSample at(Instant time) {
        return new PodSample(metric, pod, valueMilli, requestMilli, Times.unixMs(time), windowSeconds, container);
    }

    /**
     * Over how long it was taken.
     *
     * @param seconds 0: 60
     * @return this with that window
     */
    public PodSample windowSeconds(int seconds) {
        return new PodSample(metric, pod, valueMilli, requestMilli, timeMs, seconds, container);
    }

    /**
     * Without a request: the first container that has none, for messages.
     *
     * @param name null: unknown
     * @return this with it
     */
    public PodSample container(String name) {
        return new PodSample(metric, pod, valueMilli, requestMilli, timeMs, windowSeconds, name);
    }

    void in(Frame frame, Struct array, int start) {
        array.putInt(start + Abi.PodSample.METRIC, metric);
        array.putInt(start + Abi.PodSample.POD, pod);
        array.putLong(start + Abi.PodSample.VALUE_MILLI, valueMilli);
        array.putLong(start + Abi.PodSample.REQUEST_MILLI, requestMilli);
        array.putLong(start + Abi.PodSample.TIME_MS, timeMs);
        array.putInt(start + Abi.PodSample.WINDOW_S, windowSeconds);
        if (container != null) {
            array.putLong(start + Abi.PodSample.CONTAINER, frame.copy(Texts.terminated(container, "a container's name")));
        }
    }
}
