package io.gputide.conformance;

import io.gputide.Decision;
import io.gputide.Floor;
import io.gputide.Handle;
import io.gputide.Observation;
import io.gputide.Options;
import io.gputide.Policy;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A call's arguments by their names, and its result.  What is absent is "", 0, null. */
final class Call {
    private final Map<String, Object> arguments;
    private final Case line;
    private final Map<String, Object> result = new TreeMap<>();

    Call(Map<String, Object> arguments, Case line) {
        this.arguments = arguments;
        this.line = line;
    }

    /** A call as a user of this package would write it. */
    interface Action {
        void on(Call call) throws InterruptedException;
    }

    void make() throws InterruptedException {
        Action action = Calls.ALL.get(arguments.get("call"));
        if (action == null) {
            throw new Case.Fault("unknown");
        }
        action.on(this);
    }

    Map<String, Object> result() {
        return result;
    }

    void gives(String name, Object value) {
        result.put(name, value);
    }

    boolean has(String name) {
        return arguments.containsKey(name);
    }

    Object argument(String name) {
        return arguments.get(name);
    }

    /** 64 bits, with or without a sign. */
    long number(String name) {
        return Values.number(arguments, name);
    }

    /** 32 bits, with or without a sign: what fits neither is a fault of the case. */
    int small(String name) {
        BigInteger value = Values.integer(arguments.getOrDefault(name, 0L));
        if (value.bitLength() > Integer.SIZE) {
            throw new Case.Fault(name + ": more than 32 bits");
        }
        return value.intValue();
    }

    double real(String name) {
        return Values.real(arguments.getOrDefault(name, 0L));
    }

    double[] reals(String name) {
        return list(name).stream().mapToDouble(Values::real).toArray();
    }

    byte[] text(String name) {
        return Values.text(arguments.getOrDefault(name, ""));
    }

    String word(String name) {
        return Values.word(arguments.getOrDefault(name, ""));
    }

    Instant time(String name) {
        return Values.time(arguments, name);
    }

    Duration duration(String name) {
        return Duration.ofMillis(number(name));
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(arguments.get(name));
    }

    List<Object> list(String name) {
        return Values.list(arguments.getOrDefault(name, List.of()));
    }

    Options options() {
        return has("options") ? OptionsIn.options(Values.object(argument("options"))) : null;
    }

    Observation seen() {
        Observation seen = ObservationsIn.observation(Values.object(arguments.getOrDefault("seen", Map.of())));
        return flag("report") ? seen.withReport() : seen;
    }

    <T> T find(String role, Class<T> kind) {
        return line.find((String) arguments.get(role), kind);
    }

    /** The one named, or the state's own. */
    Policy policy() {
        String name = has("policy") ? (String) argument("policy") : line.policyOf((String) argument("state"));
        return line.find(name, Policy.class);
    }

    /** One to record, with why its write failed. */
    Decision decision() {
        return find("decision", Decision.class).because((String) argument("message"));
    }

    void opens(Handle handle) {
        line.keep((String) argument("as"), handle);
    }

    void opensState(Handle state, String policy) {
        opens(state);
        line.policyOf((String) argument("as"), policy);
    }

    String policyOfState() {
        return line.policyOf((String) argument("state"));
    }

    void decided(Decision decision) {
        gives("decision", ResultsOut.decision(decision));
        if (flag("report")) {
            gives("report", decision.report().orElse(null));
        }
        if (has("as")) {
            line.keep((String) argument("as"), decision);
        }
    }

    void floored(Floor floor) {
        gives("floor", ResultsOut.floor(floor));
        if (has("as")) {
            line.keep((String) argument("as"), floor);
        }
    }

    /** A decision that is recorded goes on under its name. */
    void recorded(Decision decision) {
        gives("decision", ResultsOut.decision(decision));
        line.keep((String) argument("decision"), decision);
    }
}
