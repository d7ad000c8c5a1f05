package io.gputide.conformance;

import io.gputide.Handle;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** Each call of protocol 1, by its C function's name without gputide_, the first underscore a dot. */
final class Calls {
    static final Map<String, Call.Action> ALL = all();

    private final Map<String, Call.Action> actions = new TreeMap<>();

    private Calls() {}

    private static Map<String, Call.Action> all() {
        Calls calls = new Calls();
        LibraryCalls.addTo(calls);
        SourceCalls.addTo(calls);
        DecisionCalls.addTo(calls);
        RuntimeCalls.addTo(calls);
        ReplayCalls.addTo(calls);
        PlanningCalls.addTo(calls);
        return Collections.unmodifiableMap(calls.actions);
    }

    /** What a call comes to, such as a member of its result or the handle that it opens. */
    interface Value<T> {
        T of(Call call) throws InterruptedException;
    }

    /** Whatever else there is to it, the call fills in its result by itself. */
    void does(String name, Call.Action action) {
        actions.put(name, action);
    }

    /** One member of the result. */
    void gives(String name, String member, Value<?> value) {
        does(name, call -> call.gives(member, value.of(call)));
    }

    /** A handle, which later calls find under the name that the call says. */
    void opens(String name, Value<? extends Handle> opening) {
        does(name, call -> call.opens(opening.of(call)));
    }

    /** The word for a number, which is an argument. */
    void names(String name, String argument, IntFunction<?> number) {
        gives(name, "name", call -> number.apply(call.small(argument)).toString());
    }
}
