package io.gputide;

import java.time.Instant;

/** A pod of an observation, for metrics of type Pods, Resource and ContainerResource.  Each method gives a pod of its own. */
public final class Pod {
    private final String name;
    private final PodPhase phase;
    private final Readiness ready;
    private final boolean deleting;
    private final long startTimeMs;
    private final long readyChangeTimeMs;

    private Pod(String name, PodPhase phase, Readiness ready, boolean deleting, long startTimeMs, long readyChangeTimeMs) {
        this.name = name;
        this.phase = phase;
        this.ready = ready;
        this.deleting = deleting;
        this.startTimeMs = startTimeMs;
        this.readyChangeTimeMs = readyChangeTimeMs;
    }

    /**
     * A pod that is running and ready.
     *
     * @param name for messages; null: none
     * @return the pod
     */
    public static Pod of(String name) {
        return new Pod(name, PodPhase.RUNNING, Readiness.YES, false, 0, 0);
    }

    /**
     * Its status.phase.
     *
     * @param phase the phase
     * @return this in that phase
     */
    public Pod phase(PodPhase phase) {
        return new Pod(name, phase, ready, deleting, startTimeMs, readyChangeTimeMs);
    }

    /**
     * Its Ready condition.
     *
     * @param ready what it says
     * @return this with it
     */
    public Pod ready(Readiness ready) {
        return new Pod(name, phase, ready, deleting, startTimeMs, readyChangeTimeMs);
    }

    /**
     * Whether it has a deletion timestamp.
     *
     * @param deleting whether
     * @return this with or without one
     */
    public Pod deleting(boolean deleting) {
        return new Pod(name, phase, ready, deleting, startTimeMs, readyChangeTimeMs);
    }

    /**
     * Its status.startTime.
     *
     * @param time null: none
     * @return this started then
     */
    public Pod startTime(Instant time) {
        return new Pod(name, phase, ready, deleting, Times.unixMs(time), readyChangeTimeMs);
    }

    /**
     * The lastTransitionTime of Ready.
     *
     * @param time null: as the start
     * @return this with it
     */
    public Pod readyChangeTime(Instant time) {
        return new Pod(name, phase, ready, deleting, startTimeMs, Times.unixMs(time));
    }

    void in(Frame frame, Struct array, int start) {
        if (name != null) {
            array.putLong(start + Abi.Pod.NAME, frame.copy(Texts.terminated(name, "a pod's name")));
        }
        array.putInt(start + Abi.Pod.PHASE, phase.number());
        array.putInt(start + Abi.Pod.READY, ready.number());
        array.putInt(start + Abi.Pod.DELETING, deleting ? 1 : 0);
        array.putLong(start + Abi.Pod.START_TIME_MS, startTimeMs);
        array.putLong(start + Abi.Pod.READY_CHANGE_TIME_MS, readyChangeTimeMs);
    }
}
