package io.gputide.conformance;

import io.gputide.Action;
import io.gputide.Condition;
import io.gputide.Diagnosis;
import io.gputide.EventKind;
import io.gputide.Findings;
import io.gputide.Gputide;
import io.gputide.Limit;
import io.gputide.Reason;
import io.gputide.SampleState;
import io.gputide.ScaleEvent;
import io.gputide.Status;

/** The library as a whole, and what needs no handle: the words for numbers, a manifest's check and doctor, quantities. */
final class LibraryCalls {
    private LibraryCalls() {}

    static void addTo(Calls calls) {
        calls.gives("version", "version", call -> Gputide.version());
        calls.gives("version.number", "number", call -> Gputide.versionNumber());
        calls.gives("abi.version", "number", call -> Gputide.ABI_VERSION);
        calls.gives("features", "features",
                call -> Gputide.features().stream().mapToInt(feature -> 1 << feature.ordinal()).sum());
        calls.gives("build.info", "json", call -> Gputide.buildInfo());
        addNames(calls);
        calls.does("manifest.check", LibraryCalls::check);
        calls.does("doctor", LibraryCalls::doctor);
        calls.gives("trace.render", "lines", call -> Gputide.render(call.word("report")));
        calls.gives("quantity", "milli", call -> Values.out(Gputide.quantity(call.word("text"))));
    }

    private static void addNames(Calls calls) {
        calls.names("status.name", "status", Status::of);
        calls.names("action.name", "action", Action::of);
        calls.names("sample.state_name", "state", SampleState::of);
        calls.names("limit.name", "limit", Limit::of);
        calls.names("condition.name", "condition", Condition::of);
        calls.names("reason.name", "reason", Reason::of);
        calls.names("event.name", "event", ScaleEvent::of);
        calls.names("event.kind_name", "kind", EventKind::of);
    }

    private static void check(Call call) {
        Findings findings = Gputide.check(call.text("manifest"), call.options());
        call.gives("report", findings.report());
        call.gives("lines", findings.lines());
        findings.error().ifPresent(problem -> {
            throw problem;
        });
    }

    private static void doctor(Call call) throws InterruptedException {
        Diagnosis found = Gputide.doctor(
                call.text("manifest"), call.options(), call.has("seen") ? call.seen() : null, call.duration("timeout_ms"));
        call.gives("report", found.report());
        call.gives("lines", found.lines());
    }
}
