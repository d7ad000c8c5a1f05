#include "runtime/check.hpp"

#include "base/json_writer.hpp"
#include "runtime/pipeline.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace gputide::runtime {
namespace {

config::place place_of(const config::spec& spec) {
    if (!spec.triggers.empty()) return spec.triggers.front().at;
    return spec.metrics.empty() ? config::place{} : spec.metrics.front().at;
}

// The place that the error names, as config::place::text() wrote it: "so.yaml:20 spec.triggers[0].metadata.threshold".
// Nothing where it names another thing than a place of this file, as "trigger 0 (prometheus)".
std::optional<config::place> named_place(const std::string& file, std::string_view where) {
    if (file.empty() || where.substr(0, file.size()) != file || where.substr(file.size(), 1) != ":")
        return std::nullopt;
    where.remove_prefix(file.size() + 1);
    config::place out;
    out.file = file;
    const auto [end, failed] = std::from_chars(where.data(), where.data() + where.size(), out.line);
    where.remove_prefix(static_cast<std::size_t>(end - where.data()));
    if (failed != std::errc() || where.substr(0, 1) != " ") return std::nullopt;
    out.column = 1;
    out.path = where.substr(1);
    return out;
}

void add_failure(config::report& to, const config::spec& spec, const error& why) {
    config::place at = place_of(spec);
    if (auto named = named_place(at.file, why.where)) {
        at = *std::move(named);
    } else {
        at.path = why.where.empty() ? spec.scaling.name_space + "/" + spec.scaling.name : why.where;
    }
    to.add(config::severity::error, why.error_class.empty() ? "invalid" : why.error_class, at, why.message);
}

}  // namespace

checked check_manifest(const std::vector<config::text_file>& files, const host_options& host) {
    config::loaded loaded = config::load(files, surroundings_of(host));
    checked out{std::move(loaded.report), std::move(loaded.specs)};
    for (const config::spec& spec : out.specs) {
        result<pipeline> made = make_pipeline(spec, {}, &out.report);
        if (!made) add_failure(out.report, spec, made.failure());
    }
    return out;
}

std::string checked_json(const checked& from) {
    json_writer json;
    json.begin_object();
    json.key("scalers").begin_array();
    for (const config::spec& spec : from.specs) {
        const bool is_hpa = spec.scaling.kind == config::manifest_kind::horizontal_pod_autoscaler;
        json.begin_object().member("name", spec.scaling.name).member("namespace", spec.scaling.name_space);
        json.member("kind", std::string_view(is_hpa ? "HorizontalPodAutoscaler" : "ScaledObject"));
        json.member("file", place_of(spec).file).end_object();
    }
    json.end_array();
    json.key("report");
    write_json(json, from.report);
    return json.end_object().take();
}

}  // namespace gputide::runtime
