package io.gputide;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Each kind of handle, and one method of it. */
final class Openers {
    static final String TRIGGER = Support.prometheusTrigger("http://127.0.0.1:9");
    static final Map<String, Supplier<Handle>> ALL = new LinkedHashMap<>();

    static {
        ALL.put("policy", () -> Policy.open(Support.scaledObject()));
        ALL.put("state", Openers::state);
        ALL.put("source", () -> Source.open(TRIGGER));
        ALL.put("scaler", () -> Scaler.open(Support.scaledObject()));
        ALL.put("credential", Openers::credential);
        ALL.put("runtime", ScalerRuntime::create);
        ALL.put("series", Series::create);
        ALL.put("replay", () -> Replay.open(Support.scaledObject()));
        ALL.put("rightsize", () -> Rightsize.open("", null));
        ALL.put("forecast", Forecast::open);
        ALL.put("log", () -> LogReader.open(LogLevel.ERROR));
    }

    private Openers() {}

    private static Handle state() {
        try (Policy policy = Policy.open(Support.scaledObject())) {
            return policy.newState();
        }
    }

    static Credential credential() {
        return Credential.open("provider: azure-cli", Options.create().allowedPrograms("az"));
    }
}
