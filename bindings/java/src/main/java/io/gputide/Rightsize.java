package io.gputide;

import java.time.Instant;
import java.util.List;

/** Finds what a workload really needs: samples of its GPUs come in, and out of them bounds, a number of GPUs, a MIG profile.  Calls take turns. */
public final class Rightsize extends Handle {
    private Rightsize(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::rightsizeFree));
    }

    /**
     * From settings, a GpuCatalogue, a VerticalPodAutoscaler.
     *
     * @param settings YAML or JSON; "": every default
     * @param options what the host allows; may be null
     * @return one without a sample
     */
    public static Rightsize open(String settings, Options options) {
        return open(Texts.encoded(settings), options);
    }

    /**
     * As {@link #open(String, Options)}, from the bytes of a file.
     *
     * @param settings in UTF-8
     * @param options what the host allows; may be null
     * @return one without a sample
     */
    public static Rightsize open(byte[] settings, Options options) {
        try (Frame frame = Frame.take()) {
            long text = settings.length == 0 ? 0 : frame.copy(settings);
            long chosen = Options.in(frame, options);
            frame.check(Native.rightsizeOpen(text, settings.length, chosen, frame.out(), frame.error()));
            return new Rightsize(frame.takeLong());
        }
    }

    /** {@return the settings, each default filled in, with what was found to remark of them} */
    public JsonText describe() {
        return json(Native::rightsizeDescribe);
    }

    /**
     * The number of a container, new on its first use.
     *
     * @param name of the container
     * @return its number, from 1
     */
    public int container(String name) {
        byte[] wanted = Texts.terminated(name, "name");
        return inside((rightsize, frame) -> {
            frame.check(Native.rightsizeContainer(rightsize, frame.copy(wanted), frame.out(), frame.error()));
            return frame.takeInt();
        });
    }

    /**
     * Adds samples, those of one unit in the order of their times.
     *
     * @param samples of any containers
     * @return of how many something counted
     */
    public int add(List<UsageSample> samples) {
        return inside((rightsize, frame) -> {
            Struct array = frame.struct(Math.multiplyExact(samples.size(), Abi.UsageSample.SIZE));
            for (int index = 0; index < samples.size(); index++) {
                samples.get(index).in(array, index * Abi.UsageSample.SIZE);
            }
            frame.check(Native.rightsizeAdd(
                    rightsize, array.address, Abi.UsageSample.SIZE, samples.size(), frame.out(), frame.error()));
            return frame.takeInt();
        });
    }

    /**
     * The recommendation from a container's samples.
     *
     * @param container its number; 0: the one without a name
     * @param now null: by the clock
     * @return verdict, recommendation, runner-up and why
     */
    public JsonText recommend(int container, Instant now) {
        return json((rightsize, text, error) -> Native.rightsizeRecommend(rightsize, container, Times.nowMs(now), text, error));
    }

    /**
     * The machines for a known need .
     *
     * @param memoryBytes of each GPU
     * @param utilPercent of each GPU, 0 or more
     * @return machines, MIG profile and sharing, the best one first
     */
    public JsonText fit(long memoryBytes, double utilPercent) {
        return json((rightsize, text, error) -> Native.rightsizeFit(rightsize, memoryBytes, utilPercent, text, error));
    }

    /**
     * One container's histograms and open windows.
     *
     * @param container its number; 0: the one without a name
     * @param now null: by the clock
     * @return text that survives a restart
     */
    public String save(int container, Instant now) {
        return text((rightsize, text, error) -> Native.rightsizeSave(rightsize, container, Times.nowMs(now), text, error));
    }

    /**
     * The text that {@link #save} gave, in place of what the container had.
     *
     * @param container its number; 0: the one without a name
     * @param text the saved one
     */
    public void load(int container, byte[] text) {
        act((rightsize, frame) -> Native.rightsizeLoad(rightsize, container, frame.copy(text), text.length, frame.error()));
    }
}
