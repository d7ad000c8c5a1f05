package io.gputide;

import java.util.Iterator;
import java.util.Optional;
import java.util.stream.IntStream;

/** An answer as it came: the newest point of each series, their labels, and what the peer said beside them. */
public final class Samples extends Handle implements Iterable<Sample> {
    Samples(long address) {
        super(Use.SHARED, new Pointer(address, Native::samplesFree));
    }

    /** {@return how many series there are} */
    public int size() {
        return inside((samples, room) -> Native.samplesCount(samples));
    }

    /**
     * The newest point of one series.
     *
     * @param index from 0
     * @return the point
     * @throws GputideException.NotFound an index beyond the size
     */
    public Sample get(int index) {
        return inside((samples, room) -> {
            Struct read = room.sample();
            room.check(Native.samplesGet(samples, index, read.address, room.error()));
            return Sample.of(read);
        });
    }

    /**
     * The labels of one series.
     *
     * @param index from 0
     * @return such as {@code {"__name__":"DCGM_FI_DEV_GPU_UTIL","gpu":"0"}}; empty for an index beyond the size
     */
    public Optional<JsonText> labels(int index) {
        return inside((samples, room) ->
                Optional.ofNullable(Memory.text(Native.samplesLabels(samples, index))).map(JsonText::of));
    }

    /** {@return the whole answer: type of result, every point and histogram of every series, warnings, infos, partial} */
    public JsonText describe() {
        return json(Native::samplesDescribe);
    }

    /** {@return the newest point of each series, one after another} */
    @Override
    public Iterator<Sample> iterator() {
        return IntStream.range(0, size()).mapToObj(this::get).iterator();
    }
}
