package io.gputide;

import java.time.Instant;

/** A sample of one GPU, MIG instance or (profile vpa) container of a pod used at one time.  Each method gives a sample of its own. */
public final class UsageSample {
    private final long timeMs;
    private final int container;
    private final int unit;
    private final int flags;
    private final double busy;
    private final long memoryBytes;

    private UsageSample(long timeMs, int container, int unit, int flags, double busy, long memoryBytes) {
        this.timeMs = timeMs;
        this.container = container;
        this.unit = unit;
        this.flags = flags;
        this.busy = busy;
        this.memoryBytes = memoryBytes;
    }

    /**
     * A sample that tells nothing yet.
     *
     * @param time when
     * @param container its number, as {@link Rightsize#container} gives it; 0: the one without a name
     * @param unit which of its GPUs, from 0 over all replicas, up to 4095
     * @return the sample
     */
    public static UsageSample of(Instant time, int container, int unit) {
        return new UsageSample(time.toEpochMilli(), container, unit, 0, 0, 0);
    }

    /**
     * Adds how busy it was.
     *
     * @param busy percent of time or, better, of its engines; profile vpa: cores
     * @return this with it
     */
    public UsageSample busy(double busy) {
        return new UsageSample(timeMs, container, unit, flags | Abi.USAGE_BUSY, busy, memoryBytes);
    }

    /**
     * Memory in use.
     *
     * @param bytes of this GPU
     * @return this with it
     */
    public UsageSample memory(long bytes) {
        return new UsageSample(timeMs, container, unit, flags | Abi.USAGE_MEMORY, busy, bytes);
    }

    /**
     * It ran out of memory: nothing else is told.
     *
     * @param requestedBytes what it had requested; 0: unknown
     * @return this with it
     */
    public UsageSample outOfMemory(long requestedBytes) {
        return new UsageSample(timeMs, container, unit, Abi.USAGE_OOM, 0, requestedBytes);
    }

    void in(Struct array, int start) {
        array.putLong(start + Abi.UsageSample.TIME_MS, timeMs);
        array.putInt(start + Abi.UsageSample.CONTAINER, container);
        array.putInt(start + Abi.UsageSample.UNIT, unit);
        array.putInt(start + Abi.UsageSample.FLAGS, flags);
        array.putDouble(start + Abi.UsageSample.BUSY, busy);
        array.putLong(start + Abi.UsageSample.MEMORY_BYTES, memoryBytes);
    }
}
