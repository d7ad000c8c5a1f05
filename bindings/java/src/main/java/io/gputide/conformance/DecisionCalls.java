package io.gputide.conformance;

import io.gputide.Policy;
import io.gputide.Scaler;
import io.gputide.State;
import java.util.List;

/** One scaler's decisions: from numbers by a policy and a state, from a manifest as a whole by a scaler. */
final class DecisionCalls {
    private DecisionCalls() {}

    static void addTo(Calls calls) {
        addPolicy(calls);
        addState(calls);
        addScaler(calls);
    }

    private static void addPolicy(Calls calls) {
        calls.opens("policy.open", call -> Policy.open(call.text("text"), call.options()));
        calls.gives("policy.metric_count", "count", call -> call.policy().metrics().size());
        calls.gives("policy.metric_name", "name", call -> metricName(call.policy().metrics(), call));
        calls.gives("policy.describe", "json", call -> call.policy().describe());
    }

    /** Null behind the last metric, as in C. */
    private static String metricName(List<String> metrics, Call call) {
        int index = call.small("index");
        return index < metrics.size() ? metrics.get(index) : null;
    }

    private static void addState(Calls calls) {
        calls.does("state.new", call ->
                call.opensState(call.policy().newState(call.time("created_ms")), (String) call.argument("policy")));
        calls.does("state.clone", call -> call.opensState(state(call).copy(), call.policyOfState()));
        calls.does("state.load", call -> call.opensState(loaded(call), (String) call.argument("policy")));
        calls.gives("state.save", "text", call -> state(call).save());
        calls.gives("state.describe", "json", call -> state(call).describe());
        calls.does("decide", call -> call.decided(state(call).decide(call.seen())));
        calls.does("decide.values", call -> call.decided(
                state(call).decide(call.number("now_ms"), call.small("current_replicas"), call.reals("values"))));
        calls.does("state.record", call -> call.recorded(
                state(call).record(call.decision(), call.number("applied") != 0, call.time("now_ms"))));
    }

    /** The one flag that there is says that the text is a described state, not a saved one. */
    private static State loaded(Call call) {
        return call.number("flags") == 0
                ? call.policy().loadState(call.text("text"))
                : call.policy().loadDescribedState(call.word("text"));
    }

    private static State state(Call call) {
        return call.find("state", State.class);
    }

    private static void addScaler(Calls calls) {
        calls.opens("scaler.open", call -> Scaler.open(call.text("manifest"), call.options()));
        calls.gives("scaler.metric_count", "count", call -> scaler(call).metrics().size());
        calls.gives("scaler.metric_name", "name", call -> metricName(scaler(call).metrics(), call));
        calls.does("scaler.tick", call -> call.decided(scaler(call).tick(call.seen(), call.duration("timeout_ms"))));
        calls.gives("scaler.fetch", "samples",
                call -> scaler(call).fetch(call.time("now_ms"), call.duration("timeout_ms")).stream()
                        .map(ResultsOut::sample)
                        .toList());
        calls.does("scaler.decide", call -> call.decided(scaler(call).decide(call.seen())));
        calls.does("scaler.record", call -> call.recorded(
                scaler(call).record(call.decision(), call.number("applied") != 0, call.time("now_ms"))));
        calls.gives("scaler.conditions", "json", call -> scaler(call).conditions());
        calls.gives("scaler.metrics", "json", call -> scaler(call).lastMetrics());
        calls.gives("scaler.describe", "json", call -> scaler(call).describe());
        calls.gives("scaler.save", "text", call -> scaler(call).save());
        calls.does("scaler.load", call -> scaler(call).load(call.text("text")));
    }

    private static Scaler scaler(Call call) {
        return call.find("scaler", Scaler.class);
    }
}
