package io.gputide.conformance;

import io.gputide.Floor;
import io.gputide.Forecast;
import io.gputide.Jobs;
import io.gputide.NodesPlan;
import io.gputide.Rightsize;

/** What surrounds a scaler's replicas: Jobs, GPU nodes, the load ahead, the size of one replica. */
final class PlanningCalls {
    private PlanningCalls() {}

    static void addTo(Calls calls) {
        calls.gives("jobs.decide", "decision",
                call -> Jobs.decide(call.text("text"), call.text("seen"), call.options()));
        calls.does("nodes.plan", PlanningCalls::plan);
        addForecast(calls);
        addRightsize(calls);
    }

    private static void plan(Call call) {
        NodesPlan plan = NodesPlan.of(call.text("text"), call.text("state"), call.time("now_ms"));
        call.gives("summary", ResultsOut.summary(plan));
        call.gives("json", plan.report());
        call.gives("state", plan.nextState());
    }

    private static void addForecast(Calls calls) {
        calls.opens("forecast.open", call -> Forecast.open(call.text("settings")));
        calls.does("forecast.step", call -> forecast(call).step(call.time("now_ms"), call.real("load")));
        calls.does("forecast.ask", call -> call.floored(forecast(call).ask(call.real("target"),
                call.small("reactive_replicas"), call.small("current_replicas"), call.small("max_replicas"))));
        calls.does("forecast.book", call -> forecast(call).book(
                call.has("floor") ? call.find("floor", Floor.class).replicas() : call.small("written_replicas"),
                call.small("shadow_replicas")));
        calls.gives("forecast.describe", "json", call -> forecast(call).describe());
        calls.gives("forecast.save", "text", call -> forecast(call).save());
        calls.does("forecast.load", call -> forecast(call).load(call.text("text")));
    }

    private static Forecast forecast(Call call) {
        return call.find("forecast", Forecast.class);
    }

    private static void addRightsize(Calls calls) {
        calls.opens("rightsize.open", call -> Rightsize.open(call.text("settings"), call.options()));
        calls.gives("rightsize.describe", "json", call -> rightsize(call).describe());
        calls.gives("rightsize.container", "number", call -> rightsize(call).container(call.word("name")));
        calls.gives("rightsize.add", "taken", call -> rightsize(call).add(ObservationsIn.usage(call.list("samples"))));
        calls.gives("rightsize.recommend", "json",
                call -> rightsize(call).recommend(call.small("container"), call.time("now_ms")));
        calls.gives("rightsize.fit", "json",
                call -> rightsize(call).fit(call.number("memory_bytes"), call.real("util_percent")));
        calls.gives("rightsize.save", "text",
                call -> rightsize(call).save(call.small("container"), call.time("now_ms")));
        calls.does("rightsize.load", call -> rightsize(call).load(call.small("container"), call.text("text")));
    }

    private static Rightsize rightsize(Call call) {
        return call.find("rightsize", Rightsize.class);
    }
}
