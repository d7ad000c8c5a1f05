package io.gputide.conformance;

import io.gputide.Action;
import io.gputide.Condition;
import io.gputide.Credential;
import io.gputide.Decision;
import io.gputide.Diagnosis;
import io.gputide.Event;
import io.gputide.EventKind;
import io.gputide.Findings;
import io.gputide.Floor;
import io.gputide.Forecast;
import io.gputide.Jobs;
import io.gputide.Gputide;
import io.gputide.GputideException;
import io.gputide.Handle;
import io.gputide.Limit;
import io.gputide.NodesPlan;
import io.gputide.Policy;
import io.gputide.Reason;
import io.gputide.Replay;
import io.gputide.Rightsize;
import io.gputide.Sample;
import io.gputide.SampleState;
import io.gputide.Samples;
import io.gputide.ScaleEvent;
import io.gputide.Scaler;
import io.gputide.ScalerRuntime;
import io.gputide.Series;
import io.gputide.Source;
import io.gputide.State;
import io.gputide.Status;
import io.gputide.Token;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** Each call of protocol 1, by its C function's name without gputide_, the first underscore a dot. */
final class Calls {
    static final Map<String, Call.Action> ALL = new TreeMap<>();

    private static final long NO_METRIC = 0xFFFF_FFFFL;

    private Calls() {}

    /** What a call comes to. */
    private interface Value {
        Object of(Call call) throws InterruptedException;
    }

    /** What a call opens. */
    private interface Opening {
        Handle of(Call call) throws InterruptedException;
    }

    private static void does(String name, Call.Action action) {
        ALL.put(name, action);
    }

    private static void gives(String name, String member, Value value) {
        does(name, call -> call.gives(member, value.of(call)));
    }

    private static void opens(String name, Opening opening) {
        does(name, call -> call.opens(opening.of(call)));
    }

    private static void names(String name, String member, IntFunction<Object> number) {
        gives(name, "name", call -> number.apply(call.small(member)).toString());
    }

    static {
        library();
        credential();
        source();
        policy();
        scaler();
        runtime();
        replay();
        nodes();
        forecast();
        rightsize();
    }

    private static void library() {
        gives("version", "version", call -> Gputide.version());
        gives("version.number", "number", call -> Gputide.versionNumber());
        gives("abi.version", "number", call -> Gputide.ABI_VERSION);
        gives("features", "features",
                call -> Gputide.features().stream().mapToInt(feature -> 1 << feature.ordinal()).sum());
        gives("build.info", "json", call -> Gputide.buildInfo());
        names("status.name", "status", Status::of);
        names("action.name", "action", Action::of);
        names("sample.state_name", "state", SampleState::of);
        names("limit.name", "limit", Limit::of);
        names("condition.name", "condition", Condition::of);
        names("reason.name", "reason", Reason::of);
        names("event.name", "event", ScaleEvent::of);
        names("event.kind_name", "kind", EventKind::of);
    }

    private static void credential() {
        opens("credential.open", call -> Credential.open(call.text("text"), call.options()));
        does("credential.token", call -> {
            Credential credential = call.find("credential", Credential.class);
            Token token = credential.token(call.word("scope"), call.duration("timeout_ms"));
            call.gives("token", token.value());
            call.gives("info", Map.of(
                    "expires_at_ms", Values.out(token.expires().toEpochMilli()),
                    "refresh_at_ms", Values.out(token.refresh().toEpochMilli()),
                    "usable_until_ms", Values.out(token.usableUntil().toEpochMilli())));
        });
        does("credential.invalidate", call ->
                call.find("credential", Credential.class).invalidate(call.word("scope"), call.text("token")));
        gives("token.claims", "json", call -> Token.claims(call.text("token")));
    }

    private static void source() {
        opens("source.open", call -> Source.open(call.text("text"), call.options()));
        opens("source.fetch_all", call -> source(call).fetchAll(call.time("now_ms"), call.duration("timeout_ms")));
        opens("source.parse_all",
                call -> source(call).parseAll(call.small("http_status"), call.text("headers"), call.text("body")));
        does("source.fetch",
                call -> read(call, one -> source(one).fetch(one.time("now_ms"), one.duration("timeout_ms"))));
        does("source.parse", call -> read(call, one -> source(one).parse(one.small("http_status"), one.text("body"))));
        gives("source.request", "json", call -> source(call).request(call.time("now_ms")));
        gives("source.describe", "json", call -> source(call).describe());
        gives("samples.count", "count", call -> samples(call).size());
        gives("samples.get", "sample", call -> Values.sample(samples(call).get(call.small("index"))));
        gives("samples.labels", "labels", call -> samples(call).labels(call.small("index")).orElse(null));
        gives("samples.describe", "json", call -> samples(call).describe());
        gives("quantity", "milli", call -> Values.out(Gputide.quantity(call.word("text"))));
    }

    /** How a sample is read. */
    private interface Reading {
        Sample of(Call call) throws InterruptedException;
    }

    /** A failed read gives its sample beside the error. */
    private static void read(Call call, Reading reading) throws InterruptedException {
        try {
            call.gives("sample", Values.sample(reading.of(call)));
        } catch (GputideException problem) {
            problem.sample().ifPresent(sample -> call.gives("sample", Values.sample(sample)));
            throw problem;
        }
    }

    private static Source source(Call call) {
        return call.find("source", Source.class);
    }

    private static Samples samples(Call call) {
        return call.find("samples", Samples.class);
    }

    private static void policy() {
        opens("policy.open", call -> Policy.open(call.text("text"), call.options()));
        gives("policy.metric_count", "count", call -> call.policy().metrics().size());
        gives("policy.metric_name", "name", call -> metricName(call.policy().metrics(), call));
        gives("policy.describe", "json", call -> call.policy().describe());
        does("state.new", call ->
                call.opensState(call.policy().newState(call.time("created_ms")), (String) call.argument("policy")));
        does("state.clone", call -> call.opensState(state(call).copy(), call.policyOfState()));
        does("state.load", call -> call.opensState(
                call.number("flags") == 0
                        ? call.policy().loadState(call.text("text"))
                        : call.policy().loadDescribedState(call.word("text")),
                (String) call.argument("policy")));
        gives("state.save", "text", call -> state(call).save());
        gives("state.describe", "json", call -> state(call).describe());
        does("decide", call -> call.decided(state(call).decide(call.seen())));
        does("decide.values", call -> {
            double[] numbers = call.list("values").stream().mapToDouble(Values::real).toArray();
            call.decided(state(call).decide(call.number("now_ms"), call.small("current_replicas"), numbers));
        });
        does("state.record", call -> call.recorded(
                state(call).record(decision(call), call.number("applied") != 0, call.time("now_ms"))));
        gives("trace.render", "lines", call -> Gputide.render(call.word("report")));
    }

    private static Object metricName(List<String> metrics, Call call) {
        int index = call.small("index");
        return index < metrics.size() ? metrics.get(index) : null;
    }

    private static State state(Call call) {
        return call.find("state", State.class);
    }

    private static Decision decision(Call call) {
        return call.find("decision", Decision.class);
    }

    private static void scaler() {
        opens("scaler.open", call -> Scaler.open(call.text("manifest"), call.options()));
        gives("scaler.metric_count", "count", call -> scaler(call).metrics().size());
        gives("scaler.metric_name", "name", call -> metricName(scaler(call).metrics(), call));
        does("scaler.tick", call -> call.decided(scaler(call).tick(call.seen(), call.duration("timeout_ms"))));
        gives("scaler.fetch", "samples",
                call -> scaler(call).fetch(call.time("now_ms"), call.duration("timeout_ms")).stream()
                        .map(Values::sample)
                        .toList());
        does("scaler.decide", call -> call.decided(scaler(call).decide(call.seen())));
        does("scaler.record", call -> call.recorded(
                scaler(call).record(decision(call), call.number("applied") != 0, call.time("now_ms"))));
        gives("scaler.conditions", "json", call -> scaler(call).conditions());
        gives("scaler.metrics", "json", call -> scaler(call).lastMetrics());
        gives("scaler.describe", "json", call -> scaler(call).describe());
        gives("scaler.save", "text", call -> scaler(call).save());
        does("scaler.load", call -> scaler(call).load(call.text("text")));
        does("manifest.check", Calls::check);
        does("doctor", call -> {
            Diagnosis found = Gputide.doctor(call.text("manifest"), call.options(),
                    call.has("seen") ? call.seen() : null, call.duration("timeout_ms"));
            call.gives("report", found.report());
            call.gives("lines", found.lines());
        });
    }

    private static void check(Call call) {
        Findings findings = Gputide.check(call.text("manifest"), call.options());
        call.gives("report", findings.report());
        call.gives("lines", findings.lines());
        findings.error().ifPresent(problem -> {
            throw problem;
        });
    }

    private static Scaler scaler(Call call) {
        return call.find("scaler", Scaler.class);
    }

    private static void runtime() {
        opens("runtime.new", call -> ScalerRuntime.create(
                call.has("options") ? Values.runtimeOptions(Values.object(call.argument("options"))) : null));
        gives("runtime.add", "id", call -> Values.outUnsigned(
                runtime(call).add(call.text("manifest"), call.options(), call.number("tag"))));
        does("runtime.replace", Calls::replace);
        does("runtime.remove", call -> runtime(call).remove(call.number("id")));
        gives("runtime.find", "id", call -> Values.outUnsigned(runtime(call).find(call.word("name"))));
        gives("runtime.next_scaler", "id",
                call -> Values.outUnsigned(runtime(call).nextScaler(call.number("after_id"))));
        does("runtime.observe", call -> runtime(call).observe(call.number("id"), call.seen()));
        does("runtime.push", call -> runtime(call).push(call.number("id"), Values.samples(call.list("samples"))));
        does("runtime.next_event", Calls::nextEvent);
        does("runtime.record", call -> call.recorded(runtime(call).record(
                call.number("id"), decision(call), call.number("applied") != 0, call.time("now_ms"))));
        gives("runtime.save", "text", call -> runtime(call).save(call.number("id")));
        does("runtime.load", call -> runtime(call).load(call.number("id"), call.text("text")));
        gives("runtime.describe", "json", call -> runtime(call).describe(call.number("id")));
        gives("runtime.stats", "json", call -> runtime(call).stats());
        does("runtime.attach_cluster", call -> runtime(call).attachCluster(call.word("settings"), call.options()));
        does("runtime.detach_cluster", call -> runtime(call).detachCluster(call.duration("timeout_ms")));
        gives("runtime.describe_cluster", "json", call -> runtime(call).describeCluster());
        does("runtime.start", call -> runtime(call).start());
        does("runtime.stop", call -> runtime(call).stop(call.duration("timeout_ms")));
        does("runtime.close", call -> runtime(call).close(call.duration("timeout_ms")));
        gives("runtime.wake_fd", "fd", call -> runtime(call).wakeFd());
        gives("runtime.step", "next_ms", call -> Values.out(
                runtime(call).step(call.time("now_ms")).map(next -> next.toEpochMilli()).orElse(Long.MAX_VALUE)));
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
            call.gives("error", Values.error(Status.NO_DATA, "no event came in time"));
            return;
        }
        Event event = taken.get();
        call.gives("event", Values.event(event));
        call.decided(event.decision());
        event.decision().report().ifPresent(report -> call.gives("report", report));
    }

    private static ScalerRuntime runtime(Call call) {
        return call.find("runtime", ScalerRuntime.class);
    }

    private static void replay() {
        opens("series.new", call -> Series.create());
        does("series.add", call -> series(call).add(
                call.small("metric"), numbers(call, "times_ms"), call.list("values").stream().mapToDouble(Values::real).toArray()));
        does("series.add_replicas", call -> series(call).addReplicas(numbers(call, "times_ms"),
                call.list("replicas").stream().mapToInt(one -> Values.integer(one).intValueExact()).toArray()));
        does("series.read", Calls::readSeries);
        does("series.fetch", call -> series(call).fetch(scaler(call), call.small("metric"), call.time("from_ms"),
                call.time("to_ms"), call.duration("step_ms"), call.duration("timeout_ms")));
        gives("series.write", "csv", call -> series(call).write());
        gives("series.describe", "json", call -> series(call).describe());
        opens("replay.open", call -> Replay.open(
                call.text("manifest"), call.options(), call.has("settings") ? call.text("settings") : null));
        does("replay.run", call -> replay(call).run(series(call)));
        does("replay.record", call -> call.gives("decision", Values.decision(recorded(call))));
        gives("replay.report", "json", call -> replay(call).report());
    }

    private static Decision recorded(Call call) {
        List<Sample> samples = Values.samples(call.list("samples"));
        return call.has("replicas")
                ? replay(call).record(call.time("time_ms"), samples, call.small("replicas"))
                : replay(call).record(call.time("time_ms"), samples);
    }

    private static void readSeries(Call call) {
        String scaler = call.word("scaler").isEmpty() ? null : call.word("scaler");
        if (call.number("metric") == NO_METRIC) {
            series(call).readReplicas(call.text("text"), scaler);
        } else {
            series(call).read(call.small("metric"), call.text("text"), scaler);
        }
    }

    private static long[] numbers(Call call, String name) {
        return call.list(name).stream().mapToLong(one -> Values.integer(one).longValueExact()).toArray();
    }

    private static Series series(Call call) {
        return call.find("series", Series.class);
    }

    private static Replay replay(Call call) {
        return call.find("replay", Replay.class);
    }

    private static void nodes() {
        gives("jobs.decide", "decision", call -> Jobs.decide(call.text("text"), call.text("seen"), call.options()));
        does("nodes.plan", call -> {
            NodesPlan plan = NodesPlan.of(call.text("text"), call.text("state"), call.time("now_ms"));
            Map<String, Object> summary = new TreeMap<>();
            summary.put("errors", plan.errors());
            summary.put("warnings", plan.warnings());
            summary.put("nodes_to_add", Values.out(plan.nodesToAdd()));
            summary.put("nodes_to_remove", Values.out(plan.nodesToRemove()));
            summary.put("pods_pending", Values.out(plan.podsPending()));
            summary.put("pods_on_existing", Values.out(plan.podsOnExisting()));
            summary.put("pods_on_new", Values.out(plan.podsOnNew()));
            summary.put("pods_left", Values.out(plan.podsLeft()));
            call.gives("summary", summary);
            call.gives("json", plan.report());
            call.gives("state", plan.nextState());
        });
    }

    private static void forecast() {
        opens("forecast.open", call -> Forecast.open(call.text("settings")));
        does("forecast.step", call -> forecast(call).step(call.time("now_ms"), Values.real(call.argument("load"))));
        does("forecast.ask", call -> call.floored(forecast(call).ask(Values.real(call.argument("target")),
                call.small("reactive_replicas"), call.small("current_replicas"), call.small("max_replicas"))));
        does("forecast.book", call -> forecast(call).book(
                call.has("floor") ? call.find("floor", Floor.class).replicas() : call.small("written_replicas"),
                call.small("shadow_replicas")));
        gives("forecast.describe", "json", call -> forecast(call).describe());
        gives("forecast.save", "text", call -> forecast(call).save());
        does("forecast.load", call -> forecast(call).load(call.text("text")));
    }

    private static Forecast forecast(Call call) {
        return call.find("forecast", Forecast.class);
    }

    private static void rightsize() {
        opens("rightsize.open", call -> Rightsize.open(call.text("settings"), call.options()));
        gives("rightsize.describe", "json", call -> rightsize(call).describe());
        gives("rightsize.container", "number", call -> rightsize(call).container(call.word("name")));
        gives("rightsize.add", "taken", call -> rightsize(call).add(Values.usage(call.list("samples"))));
        gives("rightsize.recommend", "json", call -> rightsize(call).recommend(call.small("container"), call.time("now_ms")));
        gives("rightsize.fit", "json",
                call -> rightsize(call).fit(call.number("memory_bytes"), Values.real(call.argument("util_percent"))));
        gives("rightsize.save", "text", call -> rightsize(call).save(call.small("container"), call.time("now_ms")));
        does("rightsize.load", call -> rightsize(call).load(call.small("container"), call.text("text")));
    }

    private static Rightsize rightsize(Call call) {
        return call.find("rightsize", Rightsize.class);
    }
}
