// Section 9 of gputide.h: many scalers.
#include "door/call.hpp"
#include "gputide/kubernetes.h"

namespace conformance {
namespace {

constexpr const gputide_cancel* no_cancel = nullptr;

gputide_runtime* runtime_of(call& one) { return one.handle<gputide_runtime>("runtime"); }

void new_runtime(call& one) {
    const gputide_runtime_options options = runtime_options_in(one.object("options"));
    one.opens(gputide_runtime_free, gputide_runtime_new, &options);
}

void add(call& one) {
    const std::string manifest = one.text("manifest");
    std::uint64_t id = 0;
    if (one.works(gputide_runtime_add, runtime_of(one), manifest.data(), static_cast<std::int64_t>(manifest.size()),
                  one.options(), one.uint64("tag"), &id))
        one.result["id"] = json_integer(id);
}

void replace(call& one) {
    const std::string manifest = one.text("manifest");
    const std::uint64_t tag = one.uint64("tag");
    one.works(gputide_runtime_replace, runtime_of(one), one.uint64("id"), manifest.data(),
              static_cast<std::int64_t>(manifest.size()), one.options(), one.has("tag") ? &tag : nullptr);
}

void remove(call& one) { one.works(gputide_runtime_remove, runtime_of(one), one.uint64("id")); }

void find(call& one) {
    const std::string name = one.text("name");
    std::uint64_t id = 0;
    if (one.works(gputide_runtime_find, runtime_of(one), name.c_str(), &id)) one.result["id"] = json_integer(id);
}

void next_scaler(call& one) {
    std::uint64_t id = 0;
    if (one.works(gputide_runtime_next_scaler, runtime_of(one), one.uint64("after_id"), &id))
        one.result["id"] = json_integer(id);
}

void observe(call& one) {
    const owned_observation seen(one.object("seen"));
    one.works(gputide_runtime_observe, runtime_of(one), one.uint64("id"), seen.get());
}

void push(call& one) {
    const owned_samples samples(one.object("samples"));
    one.works(gputide_runtime_push, runtime_of(one), one.uint64("id"), samples.list.data(),
              static_cast<std::uint32_t>(sizeof(gputide_sample)), static_cast<std::uint32_t>(samples.list.size()));
}

// {"event":…,"decision":…,"report":…}; the decision's name is for runtime.record.
void next_event(call& one) {
    auto event = sized<gputide_event>();
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    if (one.works(gputide_runtime_next_event, runtime_of(one), one.int32("timeout_ms"), no_cancel, &event, &decision,
                  &report)) {
        one.result["event"] = event_json(event);
        one.keep_decision(decision);
        if (report.data != nullptr) one.put_text("report", report);
    }
    gputide_text_free(&report);
}

void record(call& one) {
    gputide_decision& decision = one.named_decision();
    const std::string message = one.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (one.works(gputide_runtime_record, runtime_of(one), one.uint64("id"), &decision, one.int32("applied"),
                  one.integer("now_ms")))
        one.result["decision"] = decision_json(decision);
}

void save(call& one) { one.gives_text("text", gputide_runtime_save, runtime_of(one), one.uint64("id")); }

void load(call& one) {
    const std::string text = one.text("text");
    one.works(gputide_runtime_load, runtime_of(one), one.uint64("id"), text.data(),
              static_cast<std::int64_t>(text.size()));
}

void describe(call& one) { one.gives_text("json", gputide_runtime_describe, runtime_of(one), one.uint64("id")); }
void stats(call& one) { one.gives_text("json", gputide_runtime_stats, runtime_of(one)); }
void start(call& one) { one.works(gputide_runtime_start, runtime_of(one)); }
void stop(call& one) { one.works(gputide_runtime_stop, runtime_of(one), one.int32("timeout_ms")); }
void close(call& one) { one.works(gputide_runtime_close, runtime_of(one), one.int32("timeout_ms")); }

void step(call& one) {
    std::int64_t next_ms = 0;
    if (one.works(gputide_runtime_step, runtime_of(one), one.integer("now_ms"), &next_ms))
        one.result["next_ms"] = json_integer(next_ms);
}

void wake_fd(call& one) {
    std::int32_t fd = -1;
    if (one.works(gputide_runtime_wake_fd, runtime_of(one), &fd)) one.result["fd"] = fd;
}

void attach_cluster(call& one) {
    const std::string settings = one.text("settings");
    one.works(gputide_cluster_attach, runtime_of(one), settings.data(), static_cast<std::int64_t>(settings.size()),
              one.options());
}
void detach_cluster(call& one) { one.works(gputide_cluster_detach, runtime_of(one), one.int32("timeout_ms")); }
void describe_cluster(call& one) { one.gives_text("json", gputide_cluster_describe, runtime_of(one)); }

void name_kind(call& one) { one.result["name"] = gputide_event_kind_name(one.int32("kind")); }

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
