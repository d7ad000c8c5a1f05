import io.gputide.*;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Protocol 1 of docs/conformance.md over the public classes of bindings/java: the program that gputide_conformance --through
 * drives.  One line in, one line out, until the input ends.  Calls.java is written by tests/bindings/conformance.
 *
 * <p>{@code java -Djava.util.logging.config.file=/dev/null}: the property keeps the warnings of handles silent that a case forgets
 * on purpose.
 */
final class Conformance {
    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    private static final Map<String, CallTable.Entry> CALLS = new Calls().entries;

    private final Map<String, Object> line;
    private final Map<String, Object> things = new LinkedHashMap<>();

    private Conformance(Map<String, Object> line) {
        this.line = line;
    }

    public static void main(String[] arguments) throws IOException {
        say(Map.of(
                "protocol", 1, "binding", "java", "version", Gputide.version(), "abi", Gputide.ABI_VERSION,
                "library", Gputide.libraryPath().toString(), "calls", List.copyOf(CALLS.keySet())));
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            say(new Conformance(JsonText.of(line).object()).answer());
        }
    }

    private static void say(Map<String, Object> answer) {
        OUT.print(Values.json(answer) + "\n");
        OUT.flush();
    }

    private Map<String, Object> answer() {
        Map<String, Object> out = new TreeMap<>();
        List<Object> results = new ArrayList<>();
        out.put("case", line.get("case"));
        out.put("results", results);
        for (Object given : (List<?>) line.get("calls")) {
            try {
                results.add(result(new Call(Values.object(given), things)));
            } catch (Fault | ClassCastException problem) {
                out.put("fault", Values.json(given) + ": " + problem);
                break;
            }
        }
        close((String) line.getOrDefault("close", "reverse"));
        out.put("alive", alive());
        return out;
    }

    private static Map<String, Object> result(Call call) {
        CallTable.Entry entry = CALLS.get(call.arguments.get("call"));
        if (entry == null) {
            throw new Fault("an unknown call");
        }
        try {
            call.make(entry);
        } catch (Missing missing) {
            return Map.of("missing", missing.getMessage());
        } catch (GputideException problem) {
            problem.sample().ifPresent(sample -> call.result.put("sample", Values.out(sample)));
            call.result.put("error", Values.error(problem));
        } catch (IllegalStateException closed) {
            call.result.put("error", Values.error(Status.STATE, closed.getMessage()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException refused) { // before C saw it
            call.result.put("error", Values.error(Status.INVALID, refused.getMessage()));
        } catch (InterruptedException impossible) {
            throw new Fault(impossible.toString());
        }
        return call.result;
    }

    private void close(String order) {
        List<Handle> handles = new ArrayList<>();
        things.values().stream().filter(Handle.class::isInstance).forEach(thing -> handles.add((Handle) thing));
        things.clear();
        if (order.equals("collect")) {
            return; // alive() waits for the collector
        }
        if (order.equals("reverse")) {
            Collections.reverse(handles);
        }
        handles.forEach(Handle::close);
    }

    /** Counts the handles.  The collector takes a moment, and a forgotten runtime ends in the background. */
    private static long alive() {
        long deadline = System.nanoTime() + 5_000_000_000L;
        while (Gputide.alive() > 0 && System.nanoTime() - deadline < 0) {
            System.gc();
            try {
                Thread.sleep(5);
            } catch (InterruptedException impossible) {
                throw new Fault(impossible.toString());
            }
        }
        return Gputide.alive();
    }
}

/** A call names what an earlier one failed to open. */
final class Missing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Missing(String name) {
        super(name);
    }
}

/** A call that is unknown, or cannot be made as it is written. */
final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fault(String message) {
        super(message);
    }
}

/** Each call of protocol 1 by its name. */
class CallTable {
    final Map<String, Entry> entries = new TreeMap<>();

    interface Value {
        Object of(Call call) throws InterruptedException;
    }

    interface Doing {
        void on(Call call) throws InterruptedException;
    }

    /** A call: the handle of the method, and the member of the result that its value is. */
    record Entry(String receiver, String member, Value value) {}

    final void gives(String name, String receiver, String member, Value value) {
        entries.put(name, new Entry(receiver, member, value));
    }

    final void does(String name, String receiver, Doing action) {
        gives(name, receiver, "", call -> {
            action.on(call);
            return null;
        });
    }

    /** Null behind the last, as in C. */
    static String at(List<String> names, int index) {
        return 0 <= index && index < names.size() ? names.get(index) : null;
    }
}

/** A call's arguments by their names, and its result.  What is absent is "", 0, null. */
final class Call extends Values {
    final Map<String, Object> result = new TreeMap<>();
    private final Map<String, Object> things;
    private String receiver;

    Call(Map<String, Object> arguments, Map<String, Object> things) {
        super(arguments);
        this.things = things;
    }

    void make(CallTable.Entry entry) throws InterruptedException {
        receiver = entry.receiver();
        Object value = entry.value().of(this);
        switch (entry.member()) {
            case "" -> {}
            case "as" -> keep(word("as"), value);
            case "recorded" -> {
                result.put("decision", out(value));
                keep(word("decision"), value); // it goes on under its name
            }
            case "event" -> event((Optional<?>) value);
            case "next_ms" -> {
                Object next = out(value);
                result.put("next_ms", next == null ? out(Long.MAX_VALUE) : next);
            }
            default -> gives(entry.member(), value);
        }
    }

    private void gives(String member, Object value) {
        if (value instanceof Decision decision) {
            result.put("decision", out(decision));
            decision.report().ifPresent(report -> result.put("report", report));
        } else if (value instanceof Findings findings) {
            result.putAll(Map.of("report", findings.report(), "lines", findings.lines()));
            findings.error().ifPresent(problem -> {
                throw problem;
            });
        } else if (value instanceof Diagnosis found) {
            result.putAll(Map.of("report", found.report(), "lines", found.lines()));
        } else if (value instanceof Token token) {
            result.putAll(Map.of("token", token.value(), "info", out(token)));
        } else if (value instanceof NodesPlan plan) {
            result.putAll(Map.of("summary", out(plan), "json", plan.report(), "state", plan.nextState()));
        } else {
            result.put(member, out(value));
        }
        if (has("as")) {
            keep(word("as"), value);
        }
    }

    private void event(Optional<?> taken) {
        if (taken.isEmpty()) {
            result.put("error", error(Status.NO_DATA, "no event came in time"));
            return;
        }
        Event event = (Event) taken.get();
        result.put("event", out(event));
        gives("decision", event.decision());
    }

    private void keep(String name, Object thing) {
        if (things.containsKey(name) && thing instanceof Handle) {
            throw new Fault("as: the name " + name + " is taken");
        }
        things.put(name, thing);
    }

    <T> T named(String role, Class<T> kind) {
        if (!things.containsKey(word(role))) {
            throw new Missing(word(role));
        }
        return kind.cast(things.get(word(role)));
    }

    <T> T handle(Class<T> kind) {
        return named(receiver, kind);
    }

    Options options(String name) {
        return has(name) ? new Values(object(arguments.get(name))).options() : null;
    }

    RuntimeOptions runtimeOptions() {
        return has("options") ? new Values(object(arguments.get("options"))).runtime() : null;
    }

    Observation observation(String name) {
        Observation seen = new Values(object(arguments.getOrDefault(name, Map.of()))).seen();
        return Boolean.TRUE.equals(arguments.get("report")) ? seen.withReport() : seen;
    }

    List<UsageSample> usage() {
        return each("samples", Values::usageSample);
    }

    /** Returns the decision to record, with why its write failed. */
    Decision decision() {
        return named("decision", Decision.class).because((String) arguments.get("message"));
    }

    void replace() {
        ScalerRuntime runtime = handle(ScalerRuntime.class);
        if (has("tag")) {
            runtime.replace(number("id"), text("manifest"), options("options"), number("tag"));
        } else {
            runtime.replace(number("id"), word("manifest"), options("options"));
        }
    }

    void readSeries() {
        String scaler = word("scaler").isEmpty() ? null : word("scaler");
        if (number("metric") == -1) { // GPUTIDE_NO_METRIC: the sizes
            handle(Series.class).readReplicas(text("text"), scaler);
        } else {
            handle(Series.class).read(small("metric"), text("text"), scaler);
        }
    }
}
