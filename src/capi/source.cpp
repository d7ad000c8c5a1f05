// Section 5 of gputide.h: one metric, fetched or as its two pure halves.
#include "base/json_writer.hpp"
#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "capi/structs.hpp"
#include "http/wait.hpp"
#include "runtime/trigger.hpp"

#include <cmath>
#include <memory>

using namespace gputide;        // NOLINT: the entries below are the C side of these names
using namespace gputide::capi;  // NOLINT: as above

namespace {

result<source::fetched> fetch(gputide_source& from, std::int64_t now_ms, std::int32_t timeout_ms,
                              const gputide_cancel* cancel, source::detail wanted) {
    http::client& client = *from.engine->client;
    const std::int64_t deadline_ms = client.steady_ms() + timeout_ms;
    return http::wait<source::fetched>(
        client,
        [&](std::function<void(source::fetched)> done) {
            return from.source->fetch(now_ms, deadline_ms, std::move(done), wanted);
        },
        deadline_ms, cancel != nullptr ? &cancel->flag : nullptr);
}

std::string labels_json(const source::labels& labels) {
    json_writer json;
    json.begin_object();
    for (const auto& [name, value] : labels) json.member(name, value);
    json.end_object();
    return json.take();
}

gputide_samples::one one_of(const source::series& from) {
    sample value;
    if (from.points.empty()) {
        value.state = sample_state::empty;
        value.status = status::no_data;
    } else {
        const source::point& last = from.points.back();
        const bool finite = std::isfinite(last.value);
        value.state = finite ? sample_state::ok : sample_state::not_a_number;
        value.status = finite ? status::ok : status::no_data;
        value.value = finite ? last.value : 0.0;
        value.time_ms = last.time_ms;
    }
    return {to_c(value), labels_json(from.labels)};
}

}  // namespace

gputide_status gputide_source_open(const char* text, int64_t size_bytes, const gputide_options* options,
                                   gputide_source** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<host_input> input = read_input(text, size_bytes, options);
        if (!input) return std::move(input).failure();
        result<std::shared_ptr<runtime::engine>> engine = runtime::shared_engine();
        if (!engine) return std::move(engine).failure();
        auto opened = runtime::open_trigger(input->files, input->host, **engine);
        if (!opened) return std::move(opened).failure();
        *out = std::make_unique<gputide_source>(gputide_source{*engine, *opened}).release();
        return {};
    });
}

void gputide_source_free(gputide_source* source) { delete source; }

gputide_status gputide_source_fetch(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                    const gputide_cancel* cancel, gputide_sample* out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(source, "source"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        result<source::fetched> got = fetch(*source, now_ms, timeout_ms, cancel, source::detail::value);
        if (!got) return std::move(got).failure();
        write_struct(out, to_c(got->sample));
        if (got->sample.state != sample_state::ok) return std::move(got->why);
        return {};
    });
}

gputide_status gputide_source_fetch_all(gputide_source* source, int64_t now_ms, int32_t timeout_ms,
                                        const gputide_cancel* cancel, gputide_samples** out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(source, "source"); !ok) return ok;
        if (result<void> ok = required(out, "out"); !ok) return ok;
        result<source::fetched> got = fetch(*source, now_ms, timeout_ms, cancel, source::detail::everything);
        if (!got) return std::move(got).failure();
        if (!answered(got->sample.state)) return std::move(got->why);
        auto samples = std::make_unique<gputide_samples>();
        for (const source::series& one : got->reading.series) samples->all.push_back(one_of(one));
        *out = samples.release();
        return {};
    });
}

uint32_t gputide_samples_count(const gputide_samples* samples) {
    return samples != nullptr ? static_cast<uint32_t>(samples->all.size()) : 0;
}

gputide_status gputide_samples_get(const gputide_samples* samples, uint32_t index, gputide_sample* out,
                                   gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(samples, "samples"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        if (index >= samples->all.size()) {
            return fail(status::invalid, "index is " + std::to_string(index) + ", and there are " +
                                             std::to_string(samples->all.size()) + " samples");
        }
        write_struct(out, samples->all[index].sample);
        return {};
    });
}

const char* gputide_samples_labels(const gputide_samples* samples, uint32_t index) {
    if (samples == nullptr || index >= samples->all.size()) return nullptr;
    return samples->all[index].labels.c_str();
}

void gputide_samples_free(gputide_samples* samples) { delete samples; }

gputide_status gputide_source_request(const gputide_source* source, int64_t now_ms, gputide_text* json,
                                      gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(source, "source"); !ok) return ok;
        if (result<void> ok = required(json, "json"); !ok) return ok;
        result<http::request> made = source->source->request(now_ms);
        if (!made) return std::move(made).failure();
        json_writer out;
        out.begin_object().member("method", made->method).member("url", made->url);
        out.key("headers").begin_array();
        for (const http::header& one : made->headers) {
            out.begin_object().member("name", one.name).member("value", one.value.reveal()).end_object();
        }
        out.end_array().member("body", made->body.reveal()).end_object();
        return give_text(out.text(), json);
    });
}

gputide_status gputide_source_parse(const gputide_source* source, int32_t http_status, const char* body,
                                    int64_t body_bytes, gputide_sample* out, gputide_error* err) {
    return guarded(err, [&]() -> result<void> {
        if (result<void> ok = required(source, "source"); !ok) return ok;
        if (result<void> ok = check_out(out, "out"); !ok) return ok;
        result<std::string_view> content = input_text(body, body_bytes, "body");
        if (!content) return std::move(content).failure();
        http::answer answer;
        answer.response.status = http_status;
        answer.response.body = *content;
        source::fetched got = source->source->judge(source->source->read(answer));
        write_struct(out, to_c(got.sample));
        if (got.sample.state != sample_state::ok) return std::move(got.why);
        return {};
    });
}
