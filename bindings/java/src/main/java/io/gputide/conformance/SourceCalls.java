package io.gputide.conformance;

import io.gputide.Credential;
import io.gputide.GputideException;
import io.gputide.Sample;
import io.gputide.Samples;
import io.gputide.Source;
import io.gputide.Token;
import java.util.Map;

/** Where numbers come from: credentials and their tokens, sources and the samples that they read. */
final class SourceCalls {
    private SourceCalls() {}

    static void addTo(Calls calls) {
        addCredential(calls);
        addSource(calls);
        addSamples(calls);
    }

    private static void addCredential(Calls calls) {
        calls.opens("credential.open", call -> Credential.open(call.text("text"), call.options()));
        calls.does("credential.token", SourceCalls::token);
        calls.does("credential.invalidate", call -> credential(call).invalidate(call.word("scope"), call.text("token")));
        calls.gives("token.claims", "json", call -> Token.claims(call.text("token")));
    }

    private static void token(Call call) throws InterruptedException {
        Token token = credential(call).token(call.word("scope"), call.duration("timeout_ms"));
        call.gives("token", token.value());
        call.gives("info", Map.of(
                "expires_at_ms", Values.out(token.expires().toEpochMilli()),
                "refresh_at_ms", Values.out(token.refresh().toEpochMilli()),
                "usable_until_ms", Values.out(token.usableUntil().toEpochMilli())));
    }

    private static Credential credential(Call call) {
        return call.find("credential", Credential.class);
    }

    private static void addSource(Calls calls) {
        calls.opens("source.open", call -> Source.open(call.text("text"), call.options()));
        calls.opens("source.fetch_all", call -> source(call).fetchAll(call.time("now_ms"), call.duration("timeout_ms")));
        calls.opens("source.parse_all",
                call -> source(call).parseAll(call.small("http_status"), call.text("headers"), call.text("body")));
        reads(calls, "source.fetch", call -> source(call).fetch(call.time("now_ms"), call.duration("timeout_ms")));
        reads(calls, "source.parse", call -> source(call).parse(call.small("http_status"), call.text("body")));
        calls.gives("source.request", "json", call -> source(call).request(call.time("now_ms")));
        calls.gives("source.describe", "json", call -> source(call).describe());
    }

    /** A failed read gives its sample beside the error. */
    private static void reads(Calls calls, String name, Calls.Value<Sample> reading) {
        calls.does(name, call -> {
            try {
                call.gives("sample", ResultsOut.sample(reading.of(call)));
            } catch (GputideException problem) {
                problem.sample().ifPresent(sample -> call.gives("sample", ResultsOut.sample(sample)));
                throw problem;
            }
        });
    }

    private static Source source(Call call) {
        return call.find("source", Source.class);
    }

    private static void addSamples(Calls calls) {
        calls.gives("samples.count", "count", call -> samples(call).size());
        calls.gives("samples.get", "sample", call -> ResultsOut.sample(samples(call).get(call.small("index"))));
        calls.gives("samples.labels", "labels", call -> samples(call).labels(call.small("index")).orElse(null));
        calls.gives("samples.describe", "json", call -> samples(call).describe());
    }

    private static Samples samples(Call call) {
        return call.find("samples", Samples.class);
    }
}
