import io.gputide.*;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;

/** An object of protocol 1; its members are read as this package's values; and this package's values as JSON's. */
class Values {
    private static final long EXACT = 1L << 53; // integers beyond it are texts

    final Map<String, Object> arguments;

    Values(Map<String, Object> arguments) {
        this.arguments = arguments;
    }

    // ---- what is read

    @SuppressWarnings("unchecked") // JsonText makes no other maps
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    final boolean has(String name) {
        return arguments.containsKey(name);
    }

    private static BigInteger integer(Object value) {
        if (value instanceof Long || value instanceof BigInteger || value instanceof String) {
            return new BigInteger(value.toString());
        }
        throw new Fault("expected an integer, got " + value);
    }

    /** 64 bits, with or without a sign. */
    final long number(String name) {
        return integer(arguments.getOrDefault(name, 0L)).longValue();
    }

    /** 32 bits, with or without a sign: what fits neither is a fault of the case. */
    final int small(String name) {
        BigInteger value = integer(arguments.getOrDefault(name, 0L));
        if (value.bitLength() > Integer.SIZE) {
            throw new Fault(name + ": more than 32 bits");
        }
        return value.intValue();
    }

    final boolean truth(String name) {
        return number(name) != 0;
    }

    private static double real(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return Double.parseDouble(((String) value).replace("Inf", "Infinity"));
    }

    final double real(String name) {
        return real(arguments.getOrDefault(name, 0L));
    }

    final byte[] text(String name) {
        Object value = arguments.getOrDefault(name, "");
        return value instanceof Map<?, ?> map
                ? Base64.getDecoder().decode((String) map.get("b64"))
                : ((String) value).getBytes(StandardCharsets.UTF_8);
    }

    final String word(String name) {
        return arguments.get(name) instanceof String word ? word : new String(text(name), StandardCharsets.UTF_8);
    }

    final Instant time(String name) {
        return Instant.ofEpochMilli(number(name));
    }

    final Duration duration(String name) {
        return Duration.ofMillis(number(name));
    }

    private List<?> list(String name) {
        return (List<?>) arguments.getOrDefault(name, List.of());
    }

    final double[] reals(String name) {
        return list(name).stream().mapToDouble(Values::real).toArray();
    }

    final long[] times(String name) {
        return list(name).stream().mapToLong(time -> integer(time).longValueExact()).toArray();
    }

    final int[] integers(String name) {
        return list(name).stream().mapToInt(count -> integer(count).intValueExact()).toArray();
    }

    final <T> List<T> each(String name, Function<Values, T> read) {
        return list(name).stream().map(given -> read.apply(new Values(object(given)))).toList();
    }

    final List<Sample> samples(String name) {
        return each(name, Values::sample);
    }

    private boolean isFlagged(int flag) {
        return (number("flags") & flag) != 0;
    }

    private Sample sample() {
        SampleState usual = has("value") ? SampleState.OK : SampleState.NOT_GIVEN;
        return (has("value") ? Sample.of(real("value")) : Sample.notGiven())
                .in(has("state") ? SampleState.of(small("state")) : usual)
                .because(Status.of(small("status")), (String) arguments.get("message"))
                .at(time("time_ms"))
                .nullAsZero(truth("flags"));
    }

    final Observation seen() {
        Observation seen = isFlagged(4) ? Observation.unreadable() : Observation.of(small("current_replicas"));
        seen = seen.at(time("now_ms")).samples(samples("samples")).because((String) arguments.get("message"));
        if (truth("status_replicas") || isFlagged(1)) {
            seen = seen.statusReplicas(small("status_replicas"));
        }
        if (truth("ready_replicas") || isFlagged(2)) {
            seen = seen.readyReplicas(small("ready_replicas"));
        }
        List<Pod> pods = each("pods", Values::pod);
        List<PodSample> samples = each("pod_samples", Values::podSample);
        return isFlagged(8) || !pods.isEmpty() || !samples.isEmpty() ? seen.pods(pods, samples) : seen;
    }

    private Pod pod() {
        return Pod.of((String) arguments.get("name"))
                .phase(PodPhase.of(small("phase")))
                .ready(Readiness.of(small("ready")))
                .deleting(truth("deleting"))
                .startTime(time("start_time_ms"))
                .readyChangeTime(time("ready_change_time_ms"));
    }

    private PodSample podSample() {
        return PodSample.of(small("metric"), small("pod"), number("value_milli"))
                .request(number("request_milli"))
                .at(time("time_ms"))
                .windowSeconds(small("window_s"))
                .container((String) arguments.get("container"));
    }

    final UsageSample usageSample() {
        UsageSample sample = UsageSample.of(time("time_ms"), small("container"), small("unit"));
        if (isFlagged(4)) {
            return sample.outOfMemory(number("memory_bytes"));
        }
        sample = isFlagged(1) ? sample.busy(real("busy")) : sample;
        return isFlagged(2) ? sample.memory(number("memory_bytes")) : sample;
    }

    final Options options() {
        Options options = build(Options.create(), Calls.OPTION_FLAGS);
        for (Object given : list("files")) {
            Values file = new Values(object(given));
            options = options.file(file.word("name"), file.text("text"));
        }
        return options;
    }

    final RuntimeOptions runtime() {
        return build(RuntimeOptions.create(), Calls.RUNTIME_FLAGS);
    }

    /** Calls the method of each flag and of each member's name, with its value as the method takes it. */
    private <T> T build(T start, String flags) {
        T built = start;
        String[] names = flags.split(" ");
        if (number("flags") >>> names.length != 0) {
            throw new Fault("flags: " + number("flags") + " has bits without a name");
        }
        for (int bit = 0; bit < names.length; bit++) {
            built = isFlagged(1 << bit) ? call(built, camel(names[bit]), List.of()) : built;
        }
        for (String name : arguments.keySet()) {
            if (!name.equals("flags") && !name.equals("files")) {
                built = call(built, camel(name.replaceFirst("_ms$", "")), List.of(name));
            }
        }
        return built;
    }

    @SuppressWarnings("unchecked") // each method gives its own class
    private <T> T call(T target, String method, List<String> names) {
        for (Method each : target.getClass().getMethods()) {
            if (each.getName().equals(method) && each.getParameterCount() == names.size()) {
                return (T) reflected(each, target, names.stream().map(name -> argument(each, name)).toArray());
            }
        }
        throw new Fault("an unknown member: " + method);
    }

    private Object argument(Method method, String name) {
        Class<?> kind = method.getParameterTypes()[0];
        return kind == Duration.class ? duration(name)
                : kind == String[].class ? word(name).split(",")
                : kind == long.class ? (Object) number(name)
                : kind == int.class ? (Object) small(name)
                : word(name);
    }

    private static Object reflected(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (ReflectiveOperationException problem) {
            if (problem.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            throw new Fault(problem.toString());
        }
    }

    /** text_name: textName. */
    private static String camel(String name) {
        StringBuilder out = new StringBuilder();
        for (String part : name.split("_")) {
            out.append(out.isEmpty() ? part : Character.toUpperCase(part.charAt(0)) + part.substring(1));
        }
        return out.toString();
    }

    // ---- what is written

    static Object out(Object value) {
        if (value instanceof Numbered number) {
            return number.number();
        } else if (value instanceof Reason reason) {
            return reason.number();
        } else if (value instanceof Optional<?> optional) {
            return optional.isEmpty() ? null : out(optional.get());
        } else if (value instanceof OptionalInt optional) {
            return optional.orElse(-1);
        } else if (value instanceof OptionalDouble optional) {
            return optional.isEmpty() ? "NaN" : out(optional.getAsDouble());
        } else if (value instanceof Instant time) {
            return out(time.toEpochMilli());
        } else if (value instanceof Long number) {
            return -EXACT <= number && number <= EXACT ? value : value.toString();
        } else if (value != null && Calls.MEMBERS.containsKey(value.getClass())) {
            return struct(value);
        }
        return value;
    }

    /** Reads each member of a C struct by the method of its name: now_ms is now(), current_replicas is current(). */
    private static Map<String, Object> struct(Object given) {
        Map<String, Object> out = new TreeMap<>();
        for (String member : Calls.MEMBERS.get(given.getClass()).split(" ")) {
            Object value = accessed(given, member);
            out.put(member, value == null ? 0 : value);
        }
        if (given instanceof Sample sample) {
            out.put("flags", sample.isNullAsZero() ? 1 : 0);
            out.put("value", sample.value().orElse(0));
        } else if (given instanceof Decision decision) {
            out.put("id", outUnsigned(decision.id()));
            out.put("conditions", conditions(decision.conditions()));
        } else if (given instanceof Event event) {
            out.put("id", outUnsigned(event.id()));
            out.put("tag", outUnsigned(event.tag()));
        }
        return out;
    }

    private static Object accessed(Object given, String member) {
        for (String suffix : List.of("", "_ms", "_at_ms", "_replicas", "floor_")) {
            String name = suffix.startsWith("_") && member.endsWith(suffix)
                    ? member.substring(0, member.length() - suffix.length())
                    : member.startsWith("floor_") ? member.substring(6) : member;
            try {
                return out(reflected(given.getClass().getMethod(camel(name)), given));
            } catch (NoSuchMethodException next) {
                continue;
            }
        }
        throw new Fault(given.getClass() + " has no " + member);
    }

    private static List<Object> conditions(Map<Condition, ConditionState> given) {
        List<Object> out = new ArrayList<>();
        for (int index = 0; index < 16; index++) { // GPUTIDE_MAX_CONDITIONS
            ConditionState state = given.get(Condition.of(index));
            out.add(state == null ? Map.of("truth", 0, "reason", 0, "since_ms", 0) : out(state));
        }
        return out;
    }

    static Object outUnsigned(long value) {
        return value < 0 ? Long.toUnsignedString(value) : out(value);
    }

    static Map<String, Object> error(GputideException problem) {
        Map<String, Object> out = error(problem.status(), problem.what());
        out.put("action", problem.action().number());
        out.put("retryable", problem.isRetryable() ? 1 : 0);
        out.put("http_status", problem.httpStatus().orElse(0));
        out.put("retry_at_ms", problem.retryAt().map(Values::out).orElse(0));
        out.put("service_code", problem.serviceCode());
        out.put("where", problem.where());
        out.put("detail", problem.detail().map(Object::toString).orElse(""));
        return out;
    }

    /** Errors of this package itself. */
    static Map<String, Object> error(Status status, String message) {
        return new TreeMap<>(Map.of(
                "status", status.number(), "action", 0, "retryable", 0, "http_status", 0, "retry_at_ms", 0,
                "service_code", "", "where", "", "message", message, "detail", ""));
    }

    /** Maps, lists, texts and numbers as one line of JSON. */
    static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return joined("{", map.entrySet(), "}", entry -> json(entry.getKey()) + ":" + json(entry.getValue()));
        } else if (value instanceof List<?> list) {
            return joined("[", list, "]", Values::json);
        } else if (value instanceof CharSequence text) {
            return quoted(text);
        } else if (value instanceof Double real && !Double.isFinite(real)) {
            return quoted(real.toString().replace("Infinity", "Inf").replaceFirst("^Inf", "+Inf"));
        }
        return String.valueOf(value);
    }

    private static <T> String joined(String open, Iterable<T> each, String close, Function<T, String> writer) {
        List<String> parts = new ArrayList<>();
        each.forEach(value -> parts.add(writer.apply(value)));
        return open + String.join(",", parts) + close;
    }

    private static String quoted(CharSequence text) {
        StringBuilder out = new StringBuilder("\"");
        text.chars().forEach(unit -> {
            if (unit == '"' || unit == '\\') {
                out.append('\\').append((char) unit);
            } else if (unit < ' ' || Character.isSurrogate((char) unit)) {
                out.append(String.format("\\u%04x", unit));
            } else {
                out.append((char) unit);
            }
        });
        return out.append('"').toString();
    }
}
