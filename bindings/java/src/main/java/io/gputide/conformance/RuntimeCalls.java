package io.gputide.conformance;

import io.gputide.Event;
import io.gputide.ScalerRuntime;
import io.gputide.Status;
import java.time.Instant;
import java.util.Optional;

/** Many scalers in one runtime: the scalers, what they are told, the events, the cluster, what drives it. */
final class RuntimeCalls {
    private RuntimeCalls() {}

    static void addTo(Calls calls) {
        calls.opens("runtime.new", call -> ScalerRuntime.create(
                call.has("options") ? OptionsIn.runtimeOptions(Values.object(call.argument("options"))) : null));
        addScalers(calls);
        addCluster(calls);
        addDriving(calls);
    }

    private static void addScalers(Calls calls) {
        calls.gives("runtime.add", "id", call -> Values.outUnsigned(
                runtime(call).add(call.text("manifest"), call.options(), call.number("tag"))));
        calls.does("runtime.replace", RuntimeCalls::replace);
        calls.does("runtime.remove", call -> runtime(call).remove(call.number("id")));
        calls.gives("runtime.find", "id", call -> Values.outUnsigned(runtime(call).find(call.word("name"))));
        calls.gives("runtime.next_scaler", "id",
                call -> Values.outUnsigned(runtime(call).nextScaler(call.number("after_id"))));
        calls.does("runtime.observe", call -> runtime(call).observe(call.number("id"), call.seen()));
        calls.does("runtime.push",
                call -> runtime(call).push(call.number("id"), ObservationsIn.samples(call.list("samples"))));
        calls.does("runtime.next_event", RuntimeCalls::nextEvent);
        calls.does("runtime.record", call -> call.recorded(runtime(call).record(
                call.number("id"), call.decision(), call.number("applied") != 0, call.time("now_ms"))));
        calls.gives("runtime.save", "text", call -> runtime(call).save(call.number("id")));
        calls.does("runtime.load", call -> runtime(call).load(call.number("id"), call.text("text")));
        calls.gives("runtime.describe", "json", call -> runtime(call).describe(call.number("id")));
    }

    private static void replace(Call call) {
        if (call.has("tag")) {
            runtime(call).replace(call.number("id"), call.text("manifest"), call.options(), call.number("tag"));
        } else {
            runtime(call).replace(call.number("id"), call.word("manifest"), call.options());
        }
    }

    private static void nextEvent(Call call) throws InterruptedException {
        Optional<Event> taken = runtime(call).nextEvent(call.duration("timeout_ms"));
        if (taken.isEmpty()) {
            call.gives("error", ResultsOut.error(Status.NO_DATA, "no event came in time"));
            return;
        }
        Event event = taken.get();
        call.gives("event", ResultsOut.event(event));
        call.decided(event.decision());
        event.decision().report().ifPresent(report -> call.gives("report", report));
    }

    private static void addCluster(Calls calls) {
        calls.does("runtime.attach_cluster", call -> runtime(call).attachCluster(call.word("settings"), call.options()));
        calls.does("runtime.detach_cluster", call -> runtime(call).detachCluster(call.duration("timeout_ms")));
        calls.gives("runtime.describe_cluster", "json", call -> runtime(call).describeCluster());
    }

    private static void addDriving(Calls calls) {
        calls.does("runtime.start", call -> runtime(call).start());
        calls.does("runtime.stop", call -> runtime(call).stop(call.duration("timeout_ms")));
        calls.gives("runtime.step", "next_ms", call -> Values.out(
                runtime(call).step(call.time("now_ms")).map(Instant::toEpochMilli).orElse(Long.MAX_VALUE)));
        calls.gives("runtime.wake_fd", "fd", call -> runtime(call).wakeFd());
        calls.gives("runtime.stats", "json", call -> runtime(call).stats());
        calls.does("runtime.close", call -> runtime(call).close(call.duration("timeout_ms")));
    }

    private static ScalerRuntime runtime(Call call) {
        return call.find("runtime", ScalerRuntime.class);
    }
}
