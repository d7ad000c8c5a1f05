package io.gputide.conformance;

import io.gputide.Action;
import io.gputide.Condition;
import io.gputide.ConditionState;
import io.gputide.Decision;
import io.gputide.Event;
import io.gputide.Floor;
import io.gputide.GputideException;
import io.gputide.Numbered;
import io.gputide.Observation;
import io.gputide.Options;
import io.gputide.Pod;
import io.gputide.PodPhase;
import io.gputide.PodSample;
import io.gputide.Readiness;
import io.gputide.RuntimeOptions;
import io.gputide.Sample;
import io.gputide.SampleState;
import io.gputide.Status;
import io.gputide.UsageSample;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Protocol 1's JSON, to and from this package's values. */
final class Values {
    private static final long EXACT = 1L << 53; // integers beyond it are texts
    private static final int CONDITION_ROOM = 16;

    private static final List<UnaryOperator<Options>> OPTION_FLAGS = List.of(
            Options::allowEnvironment,
            Options::allowPlainHttp,
            Options::allowCustomAuthority,
            Options::enableAzureProxy,
            Options::strict,
            Options::verifiedPeers);
    private static final Map<String, BiFunction<Options, String, Options>> OPTION_TEXTS = Map.ofEntries(
            Map.entry("text_name", Options::textName),
            Map.entry("scaler", Options::scaler),
            Map.entry("allowed_environment", (options, names) -> options.allowedEnvironment(names.split(","))),
            Map.entry("allowed_token_hosts", (options, hosts) -> options.allowedTokenHosts(hosts.split(","))),
            Map.entry("allowed_programs", (options, programs) -> options.allowedPrograms(programs.split(","))),
            Map.entry("secrets_dir", Options::secretsDir),
            Map.entry("ca_file", Options::caFile),
            Map.entry("ca_pem", Options::caPem),
            Map.entry("proxy", Options::proxy),
            Map.entry("user_agent", Options::userAgent),
            Map.entry("kubeconfig", Options::kubeconfig),
            Map.entry("kube_context", Options::kubeContext),
            Map.entry("service_account_dir", Options::serviceAccountDir));

    private static final List<UnaryOperator<RuntimeOptions>> RUNTIME_FLAGS = List.of(
            RuntimeOptions::everyDecision, RuntimeOptions::reports, RuntimeOptions::noSharing, RuntimeOptions::observeFirst);
    private static final Map<String, BiFunction<RuntimeOptions, Long, RuntimeOptions>> RUNTIME_NUMBERS = Map.of(
            "seed", RuntimeOptions::seed,
            "poll_timeout_ms", (options, ms) -> options.pollTimeout(Duration.ofMillis(ms)),
            "start_spread_ms", (options, ms) -> options.startSpread(Duration.ofMillis(ms)),
            "share_window_ms", (options, ms) -> options.shareWindow(Duration.ofMillis(ms)),
            "most_in_flight", (options, count) -> options.mostInFlight(count.intValue()),
            "most_per_endpoint", (options, count) -> options.mostPerEndpoint(count.intValue()),
            "breaker_failures", (options, count) -> options.breakerFailures(count.intValue()),
            "breaker_base_ms", (options, ms) -> options.breakerBase(Duration.ofMillis(ms)),
            "breaker_cap_ms", (options, ms) -> options.breakerCap(Duration.ofMillis(ms)),
            "gather_ms", (options, ms) -> options.gather(Duration.ofMillis(ms)));

    private Values() {}

    @SuppressWarnings("unchecked") // JsonText makes no other maps
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // JsonText makes no other lists
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    static BigInteger integer(Object value) {
        if (value instanceof Long || value instanceof BigInteger || value instanceof String) {
            return new BigInteger(value.toString());
        }
        throw new Case.Fault("expected an integer, got " + value);
    }

    private static long integer(Map<String, Object> given, String name) {
        return integer(given.getOrDefault(name, 0L)).longValue();
    }

    private static int small(Map<String, Object> given, String name) {
        return Math.toIntExact(integer(given, name));
    }

    static double real(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return switch ((String) value) {
            case "NaN" -> Double.NaN;
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> throw new Case.Fault("expected a number, got " + value);
        };
    }

    static byte[] text(Object value) {
        if (value instanceof Map<?, ?> map) {
            return Base64.getDecoder().decode((String) map.get("b64"));
        }
        return ((String) value).getBytes(StandardCharsets.UTF_8);
    }

    static String word(Object value) {
        return value instanceof String word ? word : new String(text(value), StandardCharsets.UTF_8);
    }

    static Object out(long value) {
        return -EXACT <= value && value <= EXACT ? (Object) value : Long.toString(value);
    }

    /** Of 64 bits without a sign. */
    static Object outUnsigned(long value) {
        return value < 0 ? Long.toUnsignedString(value) : out(value);
    }

    static Object out(Optional<Instant> time) {
        return out(time.map(Instant::toEpochMilli).orElse(0L));
    }

    static Options options(Map<String, Object> given) {
        Options options = withFlags(Options.create(), OPTION_FLAGS, integer(given, "flags"));
        for (Map.Entry<String, Object> each : given.entrySet()) {
            if (each.getKey().equals("files")) {
                for (Object file : list(each.getValue())) {
                    options = options.file(word(object(file).getOrDefault("name", "")), text(object(file).get("text")));
                }
            } else if (!each.getKey().equals("flags")) {
                options = known(OPTION_TEXTS, each.getKey()).apply(options, word(each.getValue()));
            }
        }
        return options;
    }

    static RuntimeOptions runtimeOptions(Map<String, Object> given) {
        RuntimeOptions options = withFlags(RuntimeOptions.create(), RUNTIME_FLAGS, integer(given, "flags"));
        for (String name : given.keySet()) {
            if (!name.equals("flags")) {
                options = known(RUNTIME_NUMBERS, name).apply(options, integer(given, name));
            }
        }
        return options;
    }

    private static <T> T withFlags(T options, List<UnaryOperator<T>> flags, long bits) {
        if (bits >>> flags.size() != 0) {
            throw new Case.Fault("flags: " + bits + " has bits without a name");
        }
        T flagged = options;
        for (int bit = 0; bit < flags.size(); bit++) {
            flagged = (bits >> bit & 1) == 1 ? flags.get(bit).apply(flagged) : flagged;
        }
        return flagged;
    }

    private static <T> T known(Map<String, T> members, String name) {
        T found = members.get(name);
        if (found == null) {
            throw new Case.Fault("an unknown member: " + name);
        }
        return found;
    }

    static List<Sample> samples(List<Object> given) {
        return given.stream().map(one -> sample(object(one))).toList();
    }

    private static Sample sample(Map<String, Object> one) {
        boolean given = one.containsKey("value");
        SampleState state = SampleState.of(one.containsKey("state") ? small(one, "state") : given ? 1 : 0);
        Sample sample = (given ? Sample.of(real(one.get("value"))) : Sample.notGiven())
                .in(state)
                .because(Status.of(small(one, "status")), (String) one.get("message"));
        return sample.at(Instant.ofEpochMilli(integer(one, "time_ms"))).nullAsZero(integer(one, "flags") != 0);
    }

    static Observation observation(Map<String, Object> given) {
        long flags = integer(given, "flags");
        Observation seen = (flags & 4) != 0 ? Observation.unreadable() : Observation.of(small(given, "current_replicas"));
        seen = seen.at(Instant.ofEpochMilli(integer(given, "now_ms"))).samples(samples(list(given.getOrDefault("samples", List.of()))));
        if (integer(given, "status_replicas") != 0 || (flags & 1) != 0) {
            seen = seen.statusReplicas(small(given, "status_replicas"));
        }
        if (integer(given, "ready_replicas") != 0 || (flags & 2) != 0) {
            seen = seen.readyReplicas(small(given, "ready_replicas"));
        }
        List<Pod> pods = list(given.getOrDefault("pods", List.of())).stream().map(one -> pod(object(one))).toList();
        List<PodSample> usage =
                list(given.getOrDefault("pod_samples", List.of())).stream().map(one -> podSample(object(one))).toList();
        return seen.pods(pods, usage);
    }

    private static Pod pod(Map<String, Object> one) {
        return Pod.of((String) one.get("name"))
                .phase(PodPhase.of(small(one, "phase")))
                .ready(Readiness.of(small(one, "ready")))
                .deleting(integer(one, "deleting") != 0)
                .startTime(Instant.ofEpochMilli(integer(one, "start_time_ms")))
                .readyChangeTime(Instant.ofEpochMilli(integer(one, "ready_change_time_ms")));
    }

    private static PodSample podSample(Map<String, Object> one) {
        return PodSample.of(small(one, "metric"), small(one, "pod"), integer(one, "value_milli"))
                .request(integer(one, "request_milli"))
                .at(Instant.ofEpochMilli(integer(one, "time_ms")))
                .windowSeconds(small(one, "window_s"));
    }

    static Map<String, Object> error(GputideException problem) {
        Map<String, Object> out = error(problem.status(), problem.what());
        out.put("action", problem.action().number());
        out.put("retryable", problem.isRetryable() ? 1 : 0);
        out.put("http_status", problem.httpStatus().orElse(0));
        out.put("retry_at_ms", out(problem.retryAt()));
        out.put("service_code", problem.serviceCode());
        out.put("where", problem.where());
        out.put("detail", problem.detail().map(Object::toString).orElse(""));
        return out;
    }

    /** What this package refuses by itself. */
    static Map<String, Object> error(Status status, String message) {
        Map<String, Object> out = new TreeMap<>();
        out.put("status", status.number());
        out.put("action", Action.NONE.number());
        out.put("retryable", 0);
        out.put("http_status", 0);
        out.put("retry_at_ms", 0);
        out.put("service_code", "");
        out.put("where", "");
        out.put("message", message);
        out.put("detail", "");
        return out;
    }

    static Map<String, Object> sample(Sample given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("state", given.state().number());
        out.put("status", given.status().number());
        out.put("flags", given.isNullAsZero() ? 1 : 0);
        out.put("value", given.value().orElse(0));
        out.put("time_ms", out(given.time()));
        return out;
    }

    static Map<String, Object> decision(Decision given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("flags", given.flags());
        out.put("id", outUnsigned(given.id()));
        out.put("now_ms", out(given.now().toEpochMilli()));
        out.put("next_due_ms", out(given.nextDue().toEpochMilli()));
        out.put("current_replicas", given.current());
        out.put("desired_replicas", given.desired());
        out.put("proposed_replicas", given.proposed());
        out.put("limited_by", given.limitedBy().number());
        out.put("source", given.source().map(Numbered::number).orElse(0));
        out.put("winner", given.winner());
        out.put("failed_metric", given.failedMetric());
        out.put("event", given.event().number());
        out.put("conditions", conditions(given.conditions()));
        return out;
    }

    private static List<Object> conditions(Map<Condition, ConditionState> given) {
        List<Object> out = new ArrayList<>();
        for (int index = 0; index < CONDITION_ROOM; index++) {
            ConditionState one = given.get(Condition.of(index));
            Map<String, Object> condition = new TreeMap<>();
            condition.put("truth", one == null ? 0 : one.truth().number());
            condition.put("reason", one == null ? 0 : one.reason().number());
            condition.put("since_ms", one == null ? 0 : out(one.since()));
            out.add(condition);
        }
        return out;
    }

    static Map<String, Object> floor(Floor given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("state", given.state().number());
        out.put("reason", given.reason().number());
        out.put("replicas", given.replicas());
        out.put("need_replicas", given.needReplicas().orElse(-1));
        out.put("floor_load", given.load().isPresent() ? (Object) given.load().getAsDouble() : "NaN");
        return out;
    }

    static List<UsageSample> usage(List<Object> given) {
        return given.stream().map(one -> usage(object(one))).toList();
    }

    private static UsageSample usage(Map<String, Object> one) {
        UsageSample sample = UsageSample.of(
                Instant.ofEpochMilli(integer(one, "time_ms")), small(one, "container"), small(one, "unit"));
        long flags = integer(one, "flags");
        if ((flags & 4) != 0) {
            return sample.outOfMemory(integer(one, "memory_bytes"));
        }
        sample = (flags & 1) != 0 ? sample.busy(real(one.getOrDefault("busy", 0.0))) : sample;
        return (flags & 2) != 0 ? sample.memory(integer(one, "memory_bytes")) : sample;
    }

    static Map<String, Object> event(Event given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("kind", given.kind().number());
        out.put("id", outUnsigned(given.id()));
        out.put("tag", outUnsigned(given.tag()));
        out.put("sequence", outUnsigned(given.sequence()));
        out.put("observed_ms", out(given.observed()));
        out.put("replaced", given.replaced());
        out.put("name", given.name());
        return out;
    }
}
