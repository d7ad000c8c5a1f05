package io.gputide.conformance;

import io.gputide.Options;
import io.gputide.RuntimeOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Protocol 1's options, of a manifest and of a runtime. */
final class OptionsIn {
    // flags by their bits: the first is 1, the second 2, the third 4
    private static final List<UnaryOperator<Options>> OPTION_FLAGS = List.of(
            Options::allowEnvironment,
            Options::allowPlainHttp,
            Options::allowCustomAuthority,
            Options::enableAzureProxy,
            Options::strict,
            Options::verifiedPeers,
            Options::allowUnverifiedPeers);
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

    private OptionsIn() {}

    static Options options(Map<String, Object> given) {
        Options options = withFlags(Options.create(), OPTION_FLAGS, Values.number(given, "flags"));
        for (Map.Entry<String, Object> each : given.entrySet()) {
            if (each.getKey().equals("files")) {
                for (Object one : Values.list(each.getValue())) {
                    Map<String, Object> file = Values.object(one);
                    options = options.file(Values.word(file.getOrDefault("name", "")), Values.text(file.get("text")));
                }
            } else if (!each.getKey().equals("flags")) {
                options = known(OPTION_TEXTS, each.getKey()).apply(options, Values.word(each.getValue()));
            }
        }
        return options;
    }

    static RuntimeOptions runtimeOptions(Map<String, Object> given) {
        RuntimeOptions options = withFlags(RuntimeOptions.create(), RUNTIME_FLAGS, Values.number(given, "flags"));
        for (String name : given.keySet()) {
            if (!name.equals("flags")) {
                options = known(RUNTIME_NUMBERS, name).apply(options, Values.number(given, name));
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
}
