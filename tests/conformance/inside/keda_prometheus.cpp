// keda-prometheus, the prometheus trigger: parsing, requests, answers, quantities and metric specs.
// All in the strict profile.
#include "base/encode.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "frame/check.hpp"
#include "source/prometheus/settings.hpp"
#include "source/source.hpp"

namespace conformance {
namespace {

namespace config = gputide::config;
namespace source = gputide::source;

config::trigger trigger_of(const json& one) {
    config::trigger out;
    out.type = "prometheus";
    out.metadata = one.value("metadata", std::map<std::string, std::string>());
    for (const auto& [name, value] : one.value("authParams", std::map<std::string, std::string>())) {
        out.auth.parameters.emplace(name, gputide::secret_text(value));
    }
    out.auth.provider = one.value("podIdentityProvider", "");
    return out;
}

gputide::result<std::shared_ptr<source::metric_source>> open_strict(const config::trigger& from) {
    return source::open(from, {}, config::profile::strict, {}, nullptr);
}

// An error where one is expected and only there; true where both sides have a value to compare.
template <class T>
bool outcome_fits(differences& out, bool expect_ok, const gputide::result<T>& got) {
    if (expect_ok == got.ok()) return got.ok();
    out.push_back(expect_ok ? "expected success, got the error: " + got.failure().message
                            : std::string("expected an error, got success"));
    return false;
}

json settings_json(const source::prometheus::settings& from) {
    return {{"threshold", from.target.threshold},
            {"activationThreshold", from.target.activation_threshold},
            {"ignoreNullValues", from.reduction.ignore_null},
            {"unsafeSsl", from.unsafe_ssl},
            {"timeoutMs", from.timeout_ms},
            {"namespace", from.name_space},
            {"customHeaders", from.headers},
            {"queryParameters", from.parameters},
            {"serverAddress", from.server_address},
            {"query", from.query},
            {"authModes", from.access.modes}};
}

differences check_parse(const json& one, const json&) {
    const auto got = source::prometheus::read_settings(trigger_of(one), {}, config::profile::strict, nullptr);
    differences out;
    const json& expect = one.at("expect");
    if (outcome_fits(out, expect.at("ok").get<bool>(), got)) {
        expect_equal(out, "parsed", expect.value("parsed", json::object()), settings_json(*got), {.subset = true});
    } else if (!got && expect.contains("error_contains")) {
        // KEDA's own words are optional; ours hold the part that the file names all the same.
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

// ---- answers ----------------------------------------------------------------------------------------------------------
config::trigger answer_trigger(const json& one) {
    config::trigger out;
    out.type = "prometheus";
    out.metadata = {{"serverAddress", "http://prometheus:9090"},
                    {"query", "up"},
                    {"threshold", "1"},
                    {"activationThreshold", gputide::shortest(one.value("activationThreshold", 0.0))},
                    {"ignoreNullValues", one.at("ignoreNullValues").get<bool>() ? "true" : "false"}};
    return out;
}

differences check_response(const json& one, const json&) {
    const auto opened = open_strict(answer_trigger(one));
    if (!opened) return {"the trigger was refused: " + opened.failure().message};
    const source::metric_source& prometheus = **opened;
    gputide::http::answer answer;
    answer.response.status = one.at("http_status").get<std::int32_t>();
    answer.response.body = input_text(one, "body");
    const source::fetched got = prometheus.judge(prometheus.read(answer));

    const json& expect = one.at("expect");
    const bool failed = got.sample.state != gputide::sample_state::ok;
    const double activation = prometheus.target().activation_threshold;
    differences out;
    expect_equal(out, "error", expect.at("error"), failed);
    expect_equal(out, "active", expect.at("active"), !failed && got.sample.value > activation);
    if (expect.contains("value") && !failed) expect_equal(out, "value", expect.at("value"), got.sample.value);
    if (expect.contains("metric_milli") && !failed) {
        expect_equal(out, "metric_milli", expect.at("metric_milli"), gputide::keda_milli_text(got.sample.value));
    }
    if (expect.contains("error_contains") && failed) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.why.message);
    }
    return out;
}

// ---- requests ---------------------------------------------------------------------------------------------------------
using decoded_query = std::multimap<std::string, std::string>;

decoded_query decoded(std::string_view query) {
    decoded_query out;
    for (const std::string_view piece : gputide::split(query, '&')) {
        const std::size_t equals = piece.find('=');
        const auto text = [](std::string_view raw) { return gputide::percent_decode(raw, true).value_or("?"); };
        out.emplace(text(piece.substr(0, equals)),
                    equals == std::string_view::npos ? std::string() : text(piece.substr(equals + 1)));
    }
    return out;
}

void compare_headers(differences& out, const json& expect, const gputide::http::request& got) {
    const json wanted = expect.value("headers", json::object());
    for (const auto& [name, value] : wanted.items()) {
        const gputide::http::header* found = got.find(name);
        expect_equal(out, "header " + name, value,
                     found == nullptr ? json() : json(std::string(found->value.reveal())));
    }
    const json unwanted = expect.value("absent_headers", json::array());
    for (const json& name : unwanted) {
        if (got.find(name.get<std::string>()) != nullptr) out.push_back("header " + name.dump() + ": expected none");
    }
}

differences check_request(const json& one, const json&) {
    const auto opened = open_strict(trigger_of(one));
    if (!opened) return {"the trigger was refused: " + opened.failure().message};
    const auto now_ms = gputide::parse_rfc3339(one.at("now").get<std::string>());
    const auto got = (*opened)->request(now_ms.value());
    if (!got) return {"no request: " + got.failure().message};

    const json& expect = one.at("expect");
    const std::size_t authority = got->url.find("://") + 3;
    const std::size_t path = got->url.find('/', authority);
    const std::size_t question = got->url.find('?', path);
    const std::string raw_query = got->url.substr(question + 1);
    decoded_query wanted;
    for (const auto& [name, value] : expect.at("query").items()) wanted.emplace(name, value.get<std::string>());
    differences out;
    expect_equal(out, "path", expect.at("path"), got->url.substr(path, question - path));
    expect_equal(out, "query", json(wanted), json(decoded(raw_query)));
    if (expect.contains("raw_query_part")) {
        expect_contains(out, "raw query", expect.at("raw_query_part").get<std::string>(), raw_query);
    }
    compare_headers(out, expect, *got);
    return out;
}

// ---- quantities and metric specs --------------------------------------------------------------------------------------
differences check_quantity(const json& one, const json&) {
    const auto value = gputide::parse_go_float(one.at("value").get<std::string>());
    if (!value) return {"value: not a float text"};
    differences out;
    expect_equal(out, "milli", one.at("expect").at("milli"), gputide::keda_milli_text(*value));
    return out;
}

std::string type_name(config::target_type type) {
    switch (type) {
        case config::target_type::average_value:
            return "AverageValue";
        case config::target_type::value:
            return "Value";
        case config::target_type::utilization:
            return "Utilization";
    }
    return "";
}

differences check_metric_spec(const json& one, const json&) {
    config::trigger from;
    from.type = "prometheus";
    from.index = one.at("triggerIndex").get<std::int32_t>();
    from.metadata = {{"serverAddress", "http://prometheus:9090"},
                     {"query", "up"},
                     {"threshold", gputide::shortest(one.at("threshold").get<double>())}};
    const std::string type = one.value("metricType", "");
    if (type == "Value") from.metric_type = config::target_type::value;
    if (type == "Utilization") from.metric_type = config::target_type::utilization;
    const auto got = open_strict(from);

    const json& expect = one.at("expect");
    differences out;
    if (outcome_fits(out, expect.at("ok").get<bool>(), got)) {
        const source::target& target = (*got)->target();
        expect_equal(out, "name", expect.at("name"), target.metric_name);
        expect_equal(out, "target_type", expect.at("target_type"), type_name(target.type));
        expect_equal(out, "target_milli", expect.at("target_milli"), std::to_string(target.target_milli));
    } else if (!got && expect.contains("error_contains")) {
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), got.failure().message);
    }
    return out;
}

const registration parsing{"keda-prometheus", {"prom_parse"}, &check_parse};
const registration answers{"keda-prometheus", {"prom_response"}, &check_response};
const registration requests{"keda-prometheus", {"prom_request"}, &check_request};
const registration quantities{"keda-prometheus", {"quantity"}, &check_quantity};
const registration metric_specs{"keda-prometheus", {"metric_spec"}, &check_metric_spec};

}  // namespace
}  // namespace conformance
