// Section 9 of gputide.h: many scalers.
#include "gputide/kubernetes.h"
#include "protocol/call.hpp"

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

gputide_runtime* runtime_of(call& call) { return call.handle<gputide_runtime>("runtime"); }

void new_runtime(call& call) {
    const gputide_runtime_options options = runtime_options_in(call.object("options"));
    call.opens(gputide_runtime_free, gputide_runtime_new, &options);
}

void add(call& call) {
    const std::string manifest = call.text("manifest");
    std::uint64_t id = 0;
    if (call.works(gputide_runtime_add, runtime_of(call), manifest.data(), static_cast<std::int64_t>(manifest.size()),
                   call.options(), call.uint64("tag"), &id))
        call.result["id"] = json_integer(id);
}

void replace(call& call) {
    const std::string manifest = call.text("manifest");
    const std::uint64_t tag = call.uint64("tag");
    call.works(gputide_runtime_replace, runtime_of(call), call.uint64("id"), manifest.data(),
               static_cast<std::int64_t>(manifest.size()), call.options(), call.has("tag") ? &tag : nullptr);
}

void remove(call& call) { call.works(gputide_runtime_remove, runtime_of(call), call.uint64("id")); }

void find(call& call) {
    const std::string name = call.text("name");
    std::uint64_t id = 0;
    if (call.works(gputide_runtime_find, runtime_of(call), name.c_str(), &id)) call.result["id"] = json_integer(id);
}

void next_scaler(call& call) {
    std::uint64_t id = 0;
    if (call.works(gputide_runtime_next_scaler, runtime_of(call), call.uint64("after_id"), &id))
        call.result["id"] = json_integer(id);
}

void observe(call& call) {
    const owned_observation seen(call.object("seen"));
    call.works(gputide_runtime_observe, runtime_of(call), call.uint64("id"), seen.get());
}

void push(call& call) {
    const owned_samples samples(call.object("samples"));
    call.works(gputide_runtime_push, runtime_of(call), call.uint64("id"), samples.list.data(),
               static_cast<std::uint32_t>(sizeof(gputide_sample)), static_cast<std::uint32_t>(samples.list.size()));
}

// {"event":…,"decision":…,"report":…}; the decision's name is for runtime.record.
void next_event(call& call) {
    auto event = sized<gputide_event>();
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    if (call.works(gputide_runtime_next_event, runtime_of(call), call.int32("timeout_ms"), no_cancel, &event, &decision,
                   &report)) {
        call.result["event"] = event_json(event);
        call.keep_decision(decision);
        if (report.data != nullptr) call.put_text("report", report);
    }
    gputide_text_free(&report);
}

void record(call& call) {
    gputide_decision& decision = call.named_decision();
    const std::string message = call.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (call.works(gputide_runtime_record, runtime_of(call), call.uint64("id"), &decision, call.int32("applied"),
                   call.integer("now_ms")))
        call.result["decision"] = decision_json(decision);
}

void save(call& call) { call.gives_text("text", gputide_runtime_save, runtime_of(call), call.uint64("id")); }

void load(call& call) {
    const std::string text = call.text("text");
    call.works(gputide_runtime_load, runtime_of(call), call.uint64("id"), text.data(),
               static_cast<std::int64_t>(text.size()));
}

void describe(call& call) { call.gives_text("json", gputide_runtime_describe, runtime_of(call), call.uint64("id")); }
void stats(call& call) { call.gives_text("json", gputide_runtime_stats, runtime_of(call)); }
void start(call& call) { call.works(gputide_runtime_start, runtime_of(call)); }
void stop(call& call) { call.works(gputide_runtime_stop, runtime_of(call), call.int32("timeout_ms")); }
void close(call& call) { call.works(gputide_runtime_close, runtime_of(call), call.int32("timeout_ms")); }

void step(call& call) {
    std::int64_t next_ms = 0;
    if (call.works(gputide_runtime_step, runtime_of(call), call.integer("now_ms"), &next_ms))
        call.result["next_ms"] = json_integer(next_ms);
}

void wake_fd(call& call) {
    std::int32_t fd = -1;
    if (call.works(gputide_runtime_wake_fd, runtime_of(call), &fd)) call.result["fd"] = fd;
}

void attach_cluster(call& call) {
    const std::string settings = call.text("settings");
    call.works(gputide_cluster_attach, runtime_of(call), settings.data(), static_cast<std::int64_t>(settings.size()),
               call.options());
}
void detach_cluster(call& call) { call.works(gputide_cluster_detach, runtime_of(call), call.int32("timeout_ms")); }
void describe_cluster(call& call) { call.gives_text("json", gputide_cluster_describe, runtime_of(call)); }

void name_kind(call& call) { call.result["name"] = gputide_event_kind_name(call.int32("kind")); }

}  // namespace

std::vector<call_entry> runtime_calls() {
    return {{"runtime.new", {}, &new_runtime},
            {"runtime.add", {"runtime"}, &add},
            {"runtime.replace", {"runtime"}, &replace},
            {"runtime.remove", {"runtime"}, &remove},
            {"runtime.find", {"runtime"}, &find},
            {"runtime.next_scaler", {"runtime"}, &next_scaler},
            {"runtime.observe", {"runtime"}, &observe},
            {"runtime.push", {"runtime"}, &push},
            {"runtime.next_event", {"runtime"}, &next_event},
            {"runtime.record", {"runtime", "decision"}, &record},
            {"runtime.save", {"runtime"}, &save},
            {"runtime.load", {"runtime"}, &load},
            {"runtime.describe", {"runtime"}, &describe},
            {"runtime.stats", {"runtime"}, &stats},
            {"runtime.start", {"runtime"}, &start},
            {"runtime.stop", {"runtime"}, &stop},
            {"runtime.close", {"runtime"}, &close},
            {"runtime.step", {"runtime"}, &step},
            {"runtime.wake_fd", {"runtime"}, &wake_fd},
            {"cluster.attach", {"runtime"}, &attach_cluster},
            {"cluster.detach", {"runtime"}, &detach_cluster},
            {"cluster.describe", {"runtime"}, &describe_cluster},
            {"event.kind_name", {}, &name_kind}};
}

}  // namespace conformance
