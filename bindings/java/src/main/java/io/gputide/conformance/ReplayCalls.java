package io.gputide.conformance;

import io.gputide.Decision;
import io.gputide.Replay;
import io.gputide.Sample;
import io.gputide.Scaler;
import io.gputide.Series;
import java.util.List;

/** Recorded days: series of numbers, and what a manifest would have done over them. */
final class ReplayCalls {
    private static final long NO_METRIC = 0xFFFF_FFFFL; // the sizes are meant

    private ReplayCalls() {}

    static void addTo(Calls calls) {
        addSeries(calls);
        addReplay(calls);
    }

    private static void addSeries(Calls calls) {
        calls.opens("series.new", call -> Series.create());
        calls.does("series.add", call -> series(call).add(call.small("metric"), times(call), call.reals("values")));
        calls.does("series.add_replicas", call -> series(call).addReplicas(times(call),
                call.list("replicas").stream().mapToInt(one -> Values.integer(one).intValueExact()).toArray()));
        calls.does("series.read", ReplayCalls::readSeries);
        calls.does("series.fetch", call -> series(call).fetch(call.find("scaler", Scaler.class), call.small("metric"),
                call.time("from_ms"), call.time("to_ms"), call.duration("step_ms"), call.duration("timeout_ms")));
        calls.gives("series.write", "csv", call -> series(call).write());
        calls.gives("series.describe", "json", call -> series(call).describe());
    }

    private static long[] times(Call call) {
        return call.list("times_ms").stream().mapToLong(one -> Values.integer(one).longValueExact()).toArray();
    }

    private static void readSeries(Call call) {
        String scaler = call.word("scaler").isEmpty() ? null : call.word("scaler");
        if (call.number("metric") == NO_METRIC) {
            series(call).readReplicas(call.text("text"), scaler);
        } else {
            series(call).read(call.small("metric"), call.text("text"), scaler);
        }
    }

    private static Series series(Call call) {
        return call.find("series", Series.class);
    }

    private static void addReplay(Calls calls) {
        calls.opens("replay.open", call -> Replay.open(
                call.text("manifest"), call.options(), call.has("settings") ? call.text("settings") : null));
        calls.does("replay.run", call -> replay(call).run(series(call)));
        calls.gives("replay.record", "decision", call -> ResultsOut.decision(recorded(call)));
        calls.gives("replay.report", "json", call -> replay(call).report());
    }

    private static Decision recorded(Call call) {
        List<Sample> samples = ObservationsIn.samples(call.list("samples"));
        return call.has("replicas")
                ? replay(call).record(call.time("time_ms"), samples, call.small("replicas"))
                : replay(call).record(call.time("time_ms"), samples);
    }

    private static Replay replay(Call call) {
        return call.find("replay", Replay.class);
    }
}
