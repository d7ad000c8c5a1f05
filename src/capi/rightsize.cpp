// Implements section 17 of plan.h: recommends a size from samples of GPUs.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "capi/entry.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "gputide/plan.h"
#include "rightsize/recommend.hpp"
#include "rightsize/usage.hpp"

#include <cmath>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

constexpr std::uint32_t known_flags = GPUTIDE_USAGE_BUSY | GPUTIDE_USAGE_MEMORY | GPUTIDE_USAGE_OOM;
constexpr std::size_t max_containers = 1'000'000;
constexpr std::size_t max_name_bytes = 1'024;

error no_container(const gputide_rightsize& rightsize, uint32_t number) {
    return fail(status::not_found, "container is {}; expected 0 to {}", number, rightsize.containers.size() - 1);
}

result<void> has_container(const gputide_rightsize& rightsize, uint32_t number) {
    if (number < rightsize.containers.size()) return {};
    return no_container(rightsize, number);
}

error wrong_sample(uint32_t index, std::string_view what) {
    return fail(status::invalid, "samples[{}].{}", index, what);
}

// Checks a sample.  All samples are checked before the first one is added, so that an error changes nothing.
result<void> check(const gputide_rightsize& in, const gputide_usage_sample& given, uint32_t index) {
    if (!is_time(given.time_ms)) return is_no_time(given.time_ms, format_text("samples[{}].time_ms", index).c_str());
    if (given.container >= in.containers.size()) return no_container(in, given.container);
    if (given.unit >= rightsize::max_units) return wrong_sample(index, "unit: expected 0 to 4095");
    if ((given.flags & ~known_flags) != 0) return has_unknown_flag("samples");
    if (given.flags == 0) return wrong_sample(index, "flags: 0 is not allowed; expected GPUTIDE_USAGE_*");
    if ((given.flags & GPUTIDE_USAGE_OOM) != 0 && given.flags != GPUTIDE_USAGE_OOM)
        return wrong_sample(index, "flags: GPUTIDE_USAGE_OOM must be the only flag; use a separate sample");
    return {};
}

bool add(gputide_rightsize& to, const gputide_usage_sample& given) {
    rightsize::usage& usage = to.containers[given.container].usage;
    if (given.flags == GPUTIDE_USAGE_OOM)
        return rightsize::add_oom(usage, to.settings.usage, given.unit, given.time_ms, given.memory_bytes);
    rightsize::usage_sample sample;
    sample.unit = given.unit;
    sample.time_ms = given.time_ms;
    if ((given.flags & GPUTIDE_USAGE_BUSY) != 0) sample.busy = given.busy;
    if ((given.flags & GPUTIDE_USAGE_MEMORY) != 0) sample.memory_bytes = given.memory_bytes;
    const rightsize::usage_taken taken = rightsize::add(usage, to.settings.usage, sample);
    return taken.busy || taken.memory;
}

}  // namespace

gputide_status gputide_rightsize_open(const char* settings, int64_t size_bytes, const gputide_options* options,
                                      gputide_rightsize** out, gputide_error* err) {
    return guarded(err, {{out, "out"}}, [&]() -> result<void> {
        result<host_input> input = read_input(settings, size_bytes, options);
        if (!input) return input.take_failure();
        text::report findings;
        result<rightsize::settings> read = rightsize::read_settings(input->files, findings);
        if (!read) return read.take_failure();
        std::deque<gputide_rightsize::named_usage> containers;
        containers.push_back({"", rightsize::usage(read->usage)});
        *out = make_handle<gputide_rightsize>(*std::move(read), std::move(findings), std::move(containers),
                                              std::map<std::string, std::uint32_t, std::less<>>());
        return {};
    });
}

void gputide_rightsize_free(gputide_rightsize* rightsize) { end(rightsize); }

gputide_status gputide_rightsize_describe(const gputide_rightsize* rightsize, gputide_text* json, gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}, {json, "json"}}, [&]() -> result<void> {
        return give_text(rightsize::settings_json(rightsize->settings, rightsize->findings), json);
    });
}

gputide_status gputide_rightsize_container(gputide_rightsize* rightsize, const char* name, uint32_t* number,
                                           gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}, {number, "number"}}, [&]() -> result<void> {
        result<std::string_view> text = input_text(name, GPUTIDE_TEXT, "name");
        if (!text) return text.take_failure();
        if (text->empty() || text->size() > max_name_bytes || !valid_utf8(*text))
            return fail(status::invalid, "name: expected 1 to {} bytes of UTF-8", max_name_bytes);
        const auto known = rightsize->numbers.find(*text);
        if (known != rightsize->numbers.end()) {
            *number = known->second;
            return {};
        }
        if (rightsize->containers.size() > max_containers)
            return fail(status::limit, "container: at most {} containers", max_containers);
        const auto next = static_cast<std::uint32_t>(rightsize->containers.size());
        const auto named = rightsize->numbers.emplace(*text, next).first;
        try {
            rightsize->containers.push_back({std::string(*text), rightsize::usage(rightsize->settings.usage)});
        } catch (...) {
            rightsize->numbers.erase(named);
            throw;
        }
        *number = next;
        return {};
    });
}

gputide_status gputide_rightsize_add(gputide_rightsize* rightsize, const gputide_usage_sample* samples,
                                     uint32_t sample_size, uint32_t count, uint32_t* counted, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required({{rightsize, "rightsize"}}); !ok) return ok;
        const auto checked = [&](const gputide_usage_sample& given, uint32_t index) {
            return check(*rightsize, given, index);
        };
        if (result<void> ok = for_each(samples, sample_size, count, "samples", checked); !ok) return ok;
        uint32_t sum = 0;
        const auto added = [&](const gputide_usage_sample& given, uint32_t) -> result<void> {
            if (add(*rightsize, given)) ++sum;
            return {};
        };
        if (result<void> ok = for_each(samples, sample_size, count, "samples", added); !ok) return ok;
        if (counted != nullptr) *counted = sum;
        return {};
    });
}

gputide_status gputide_rightsize_recommend(const gputide_rightsize* rightsize, uint32_t container, int64_t now_ms,
                                           gputide_text* json, gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}, {json, "json"}}, [&]() -> result<void> {
        if (result<void> ok = has_container(*rightsize, container); !ok) return ok;
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        const auto& [name, usage] = rightsize->containers[container];
        const rightsize::recommendation recommendation = rightsize::recommend(usage, rightsize->settings, now_ms);
        return give_text(rightsize::report_json(recommendation, usage, rightsize->settings, {name, now_ms}), json);
    });
}

gputide_status gputide_rightsize_fit(const gputide_rightsize* rightsize, int64_t memory_bytes, double util_percent,
                                     gputide_text* json, gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}, {json, "json"}}, [&]() -> result<void> {
        if (memory_bytes < 0 || memory_bytes > rightsize::max_amount)
            return fail(status::invalid, "memory_bytes: expected 0 to 1e14");
        if (!(util_percent >= 0.0) || !std::isfinite(util_percent))
            return fail(status::invalid, "util_percent: expected a number of 0 or more");
        return give_text(rightsize::options_json({memory_bytes, util_percent}, rightsize->settings), json);
    });
}

gputide_status gputide_rightsize_save(const gputide_rightsize* rightsize, uint32_t container, int64_t now_ms,
                                      gputide_text* out, gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}, {out, "out"}}, [&]() -> result<void> {
        if (result<void> ok = has_container(*rightsize, container); !ok) return ok;
        if (result<void> ok = check_time(now_ms, "now_ms"); !ok) return ok;
        return give_text(
            rightsize::save_usage(rightsize->containers[container].usage, rightsize->settings.usage, now_ms), out);
    });
}

gputide_status gputide_rightsize_load(gputide_rightsize* rightsize, uint32_t container, const char* text,
                                      int64_t size_bytes, gputide_error* err) {
    return guarded(err, {{rightsize, "rightsize"}}, [&]() -> result<void> {
        if (result<void> ok = has_container(*rightsize, container); !ok) return ok;
        result<std::string_view> given = input_text(text, size_bytes, "text");
        if (!given) return given.take_failure();
        result<rightsize::usage> loaded = rightsize::load_usage(*given, rightsize->settings.usage);
        if (!loaded) return loaded.take_failure();
        rightsize->containers[container].usage = *std::move(loaded);
        return {};
    });
}
