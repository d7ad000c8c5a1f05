// The structs of the C API from and to JSON.
#include "protocol/structs.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace conformance {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;

template <class Integer>
Integer parse_integer(const json& value) {
    if (value.is_number_integer()) return value.get<Integer>();
    Integer out{};
    const std::string text = value.is_string() ? value.get<std::string>() : std::string();
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, out);
    if (text.empty() || problem != std::errc() || stop != end) {
        throw std::invalid_argument("expected an integer, got " + value.dump());
    }
    return out;
}

}  // namespace

json json_integer(std::int64_t value) {
    const bool exact = value >= -exact_in_double && value <= exact_in_double;
    return exact ? json(value) : json(std::to_string(value));
}

json json_integer(std::uint64_t value) {
    const bool exact = value <= static_cast<std::uint64_t>(exact_in_double);
    return exact ? json(value) : json(std::to_string(value));
}

json json_real(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    return value;
}

json json_text(const std::string& bytes) {
    json text = bytes;
    const json kept =
        json::parse(text.dump(-1, ' ', false, json::error_handler_t::ignore));  // without what is not UTF-8
    if (kept.get_ref<const std::string&>().size() == bytes.size()) return text;
    return {{"b64", base64_of(bytes)}};
}

std::int64_t integer_in(const json& value) { return parse_integer<std::int64_t>(value); }

std::uint64_t unsigned_in(const json& value) { return parse_integer<std::uint64_t>(value); }

double real_in(const json& value) {
    if (value.is_number()) return value.get<double>();
    if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (value == "+Inf") return std::numeric_limits<double>::infinity();
    if (value == "-Inf") return -std::numeric_limits<double>::infinity();
    throw std::invalid_argument("expected a number, got " + value.dump());
}

std::string text_in(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_object() && value.contains("b64")) return bytes_of_base64(value.at("b64").get<std::string>());
    throw std::invalid_argument("expected a text, got " + value.dump());
}

std::string base64_of(std::string_view bytes) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = (group << 8U) | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i)
            out += at + i > bytes.size() ? '=' : alphabet[(group >> (18 - 6 * i)) & 63U];
    }
    return out;
}

std::string bytes_of_base64(std::string_view text) {
    const auto invalid = [&] { return std::invalid_argument("not base64: " + std::string(text.substr(0, 40))); };
    if (text.size() % 4 != 0) throw invalid();
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::string out;
    std::uint32_t group = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool is_padding = at >= text.size() - padding;
        const std::size_t digit = is_padding ? 0 : alphabet.find(text[at]);
        if (digit == std::string_view::npos) throw invalid();
        group = (group << 6U) | static_cast<std::uint32_t>(digit);
        if (at % 4 != 3) continue;
        for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>(group >> shift);
    }
    out.resize(out.size() - padding);
    return out;
}

namespace {

// Sets a member where the object names it.
template <class Number>
void take(const json& object, const char* name, Number& member) {
    const auto found = object.find(name);
    if (found == object.end()) return;
    if constexpr (std::is_floating_point_v<Number>) {
        member = real_in(*found);
    } else if constexpr (std::is_unsigned_v<Number>) {
        member = static_cast<Number>(unsigned_in(*found));
    } else {
        member = static_cast<Number>(integer_in(*found));
    }
}

template <class Element>
void point_at(const std::vector<Element>& list, const Element*& first, std::uint32_t& count, std::uint32_t& size) {
    first = list.data();
    count = static_cast<std::uint32_t>(list.size());
    size = sizeof(Element);
}

}  // namespace

const char* owned_options::kept(const json& options, const char* name) {
    if (!options.contains(name)) return nullptr;
    return texts_.emplace_back(text_in(options.at(name))).c_str();
}

owned_options::owned_options(const json& options) {
    take(options, "flags", options_.flags);
    options_.text_name = kept(options, "text_name");
    options_.scaler = kept(options, "scaler");
    options_.allowed_environment = kept(options, "allowed_environment");
    options_.allowed_token_hosts = kept(options, "allowed_token_hosts");
    options_.allowed_programs = kept(options, "allowed_programs");
    options_.secrets_dir = kept(options, "secrets_dir");
    options_.ca_file = kept(options, "ca_file");
    options_.ca_pem = kept(options, "ca_pem");
    if (options_.ca_pem != nullptr) options_.ca_pem_bytes = GPUTIDE_TEXT;
    options_.proxy = kept(options, "proxy");
    options_.user_agent = kept(options, "user_agent");
    options_.kubeconfig = kept(options, "kubeconfig");
    options_.kube_context = kept(options, "kube_context");
    options_.service_account_dir = kept(options, "service_account_dir");
    for (const json& file : options.value("files", json::array())) {
        const char* const name = kept(file, "name");
        const std::string& text = texts_.emplace_back(text_in(file.at("text")));
        files_.push_back({name, text.data(), static_cast<std::int64_t>(text.size())});
    }
    point_at(files_, options_.files, options_.file_count, options_.file_size);
}

owned_samples::owned_samples(const json& samples) {
    for (const json& sample : samples) {
        gputide_sample& out = list.emplace_back(sized<gputide_sample>());
        if (sample.contains("value")) out.state = GPUTIDE_SAMPLE_OK;
        take(sample, "state", out.state);
        take(sample, "status", out.status);
        take(sample, "flags", out.flags);
        take(sample, "value", out.value);
        take(sample, "time_ms", out.time_ms);
        if (sample.contains("message")) out.message = messages.emplace_back(text_in(sample.at("message"))).c_str();
    }
}

void owned_observation::take_pods(const json& list) {
    for (const json& entry : list) {
        gputide_pod pod{};
        if (entry.contains("name")) pod.name = names_.emplace_back(text_in(entry.at("name"))).c_str();
        take(entry, "phase", pod.phase);
        take(entry, "ready", pod.ready);
        take(entry, "deleting", pod.deleting);
        take(entry, "start_time_ms", pod.start_time_ms);
        take(entry, "ready_change_time_ms", pod.ready_change_time_ms);
        pods_.push_back(pod);
    }
    point_at(pods_, observation_.pods, observation_.pod_count, observation_.pod_size);
}

void owned_observation::take_pod_samples(const json& list) {
    for (const json& entry : list) {
        gputide_pod_sample sample{};
        take(entry, "metric", sample.metric);
        take(entry, "pod", sample.pod);
        take(entry, "value_milli", sample.value_milli);
        take(entry, "request_milli", sample.request_milli);
        take(entry, "time_ms", sample.time_ms);
        take(entry, "window_s", sample.window_s);
        if (entry.contains("container")) sample.container = names_.emplace_back(text_in(entry.at("container"))).c_str();
        pod_samples_.push_back(sample);
    }
    point_at(pod_samples_, observation_.pod_samples, observation_.pod_sample_count, observation_.pod_sample_size);
}

owned_observation::owned_observation(const json& observation) : samples_(observation.value("samples", json::array())) {
    take(observation, "flags", observation_.flags);
    take(observation, "now_ms", observation_.now_ms);
    take(observation, "current_replicas", observation_.current_replicas);
    take(observation, "status_replicas", observation_.status_replicas);
    take(observation, "ready_replicas", observation_.ready_replicas);
    if (observation.contains("message"))
        observation_.message = names_.emplace_back(text_in(observation.at("message"))).c_str();
    point_at(samples_.list, observation_.samples, observation_.sample_count, observation_.sample_size);
    take_pods(observation.value("pods", json::array()));
    take_pod_samples(observation.value("pod_samples", json::array()));
}

gputide_runtime_options runtime_options_in(const json& object) {
    auto out = sized<gputide_runtime_options>();
    take(object, "flags", out.flags);
    take(object, "seed", out.seed);
    take(object, "poll_timeout_ms", out.poll_timeout_ms);
    take(object, "start_spread_ms", out.start_spread_ms);
    take(object, "share_window_ms", out.share_window_ms);
    take(object, "max_in_flight", out.max_in_flight);
    take(object, "max_per_endpoint", out.max_per_endpoint);
    take(object, "breaker_failures", out.breaker_failures);
    take(object, "breaker_base_ms", out.breaker_base_ms);
    take(object, "breaker_cap_ms", out.breaker_cap_ms);
    take(object, "gather_ms", out.gather_ms);
    return out;
}

std::vector<gputide_usage_sample> usage_samples_in(const json& list) {
    std::vector<gputide_usage_sample> out;
    for (const json& entry : list) {
        gputide_usage_sample& sample = out.emplace_back();
        take(entry, "time_ms", sample.time_ms);
        take(entry, "container", sample.container);
        take(entry, "unit", sample.unit);
        take(entry, "flags", sample.flags);
        take(entry, "busy", sample.busy);
        take(entry, "memory_bytes", sample.memory_bytes);
    }
    return out;
}

json error_json(const gputide_error& error) {
    return {{"status", error.status},
            {"action", error.action},
            {"retryable", error.retryable},
            {"http_status", error.http_status},
            {"retry_at_ms", json_integer(error.retry_at_ms)},
            {"service_code", json_text(error.service_code)},
            {"where", json_text(error.where)},
            {"message", json_text(error.message)},
            {"detail", json_text(error.detail)}};
}

json sample_json(const gputide_sample& sample) {
    return {{"state", sample.state},
            {"status", sample.status},
            {"flags", sample.flags},
            {"value", json_real(sample.value)},
            {"time_ms", json_integer(sample.time_ms)}};
}

json decision_json(const gputide_decision& decision) {
    json conditions = json::array();
    for (const gputide_condition& condition : decision.conditions) {
        conditions.push_back(
            {{"truth", condition.truth}, {"reason", condition.reason}, {"since_ms", json_integer(condition.since_ms)}});
    }
    return {{"flags", decision.flags},
            {"id", json_integer(decision.id)},
            {"now_ms", json_integer(decision.now_ms)},
            {"next_due_ms", json_integer(decision.next_due_ms)},
            {"current_replicas", decision.current_replicas},
            {"desired_replicas", decision.desired_replicas},
            {"proposed_replicas", decision.proposed_replicas},
            {"limited_by", decision.limited_by},
            {"source", decision.source},
            {"winner", decision.winner},
            {"failed_metric", decision.failed_metric},
            {"event", decision.event},
            {"forecast_state", decision.forecast_state},
            {"forecast_need", decision.forecast_need},
            {"conditions", std::move(conditions)}};
}

json event_json(const gputide_event& event) {
    return {{"kind", event.kind},
            {"id", json_integer(event.id)},
            {"tag", json_integer(event.tag)},
            {"sequence", json_integer(event.sequence)},
            {"observed_ms", json_integer(event.observed_ms)},
            {"replaced", event.replaced},
            {"name", json_text(event.name)}};
}

}  // namespace conformance
