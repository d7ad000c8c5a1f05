// keda-prometheus, kind prom_oauth: reads of a prometheus trigger against a token endpoint and a Prometheus.  In the strict profile.
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "frame/check.hpp"
#include "inside/keda_spec.hpp"
#include "support/open_source.hpp"
#include "support/scripted_loop.hpp"

#include <algorithm>
#include <cmath>

namespace conformance::keda_oauth {
namespace {

namespace auth = gputide::auth;
namespace manifest = gputide::manifest;
namespace text = gputide::text;
namespace http = gputide::http;
namespace source = gputide::source;
using gputide::testing::scripted;
using gputide::testing::scripted_answer;
using texts = std::map<std::string, std::string>;

constexpr const char* token_url = "https://login.test/token";
constexpr std::int64_t max_wait_ms = 600'000;

manifest::trigger trigger_of(const json& object) {
    manifest::trigger out;
    out.type = "prometheus";
    out.metadata = object.at("metadata").get<texts>();
    for (const auto& [name, value] : object.at("authParams").get<texts>())
        out.auth.parameters.emplace(name, gputide::secret_text(value == "TOKEN" ? std::string(token_url) : value));
    return out;
}

struct requests {
    json tokens = json::array();
    json queries = json::array();
};

json text_of_header(const http::request& sent, const char* name) {
    const http::header* found = sent.find(name);
    return found == nullptr ? json() : json(std::string(found->value.reveal()));
}

// "id:s", each half as it was before Go's QueryEscape.
json basic_pair(const http::request& sent) {
    const json header = text_of_header(sent, "Authorization");
    if (!header.is_string()) return {};
    const auto pair = gputide::decode_base64(header.get<std::string>().substr(std::string("Basic ").size()));
    if (!pair) return "not Basic";
    return gputide::percent_decode(*pair, true).value_or("?");
}

json decoded_form(std::string_view form) {
    json out = json::object();
    const auto text = [](std::string_view raw) { return gputide::percent_decode(raw, true).value_or("?"); };
    for (const std::string_view piece : gputide::split(form, '&')) {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        out[text(piece.substr(0, equals))] = text(piece.substr(std::min(equals + 1, piece.size())));
    }
    return out;
}

// Records what is asked and answers as the case says.
class peers {
  public:
    explicit peers(const json& object) : one_(object) {}

    scripted_answer answer(const http::request& sent) {
        if (sent.url.find(token_url) == 0) return token_answer(sent);
        seen_.queries.push_back({{"authorization", text_of_header(sent, "Authorization")},
                                 {"X-Scope-OrgID", text_of_header(sent, "X-Scope-OrgID")}});
        const auto status = one_.value("query_status", std::int32_t{200});
        if (status != 200) return scripted(status, "refused");
        return scripted(
            200, R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"7"]}]}})");
    }

    const requests& seen() const { return seen_; }

  private:
    scripted_answer token_answer(const http::request& sent) {
        const json& tokens = one_.at("tokens");
        const json& said = tokens.at(std::min(seen_.tokens.size(), tokens.size() - 1));
        seen_.tokens.push_back(
            {{"method", sent.method}, {"form", decoded_form(sent.body.reveal())}, {"basic", basic_pair(sent)}});
        const json& body = said.at("body");
        return scripted(said.at("status").get<std::int32_t>(), body.is_string() ? body.get<std::string>() : body.dump(),
                        {{"Content-Type", "application/json"}});
    }

    const json& one_;
    requests seen_;
};

json milli_text(const source::fetched& got) {
    if (got.sample.state != gputide::sample_state::ok) return "error";
    return std::to_string(std::llround(got.sample.value * 1000));
}

differences check_oauth(const json& test_case, const json&) {
    const auto loop = std::make_shared<gputide::testing::scripted_loop>();
    peers peers(test_case);
    loop->answer_with([&peers](const http::request& sent) { return peers.answer(sent); });
    source::services services;
    services.loop = loop;
    services.tokens = std::make_shared<auth::token_cache>(loop);
    services.host = auth::process_surroundings();
    services.permissions.allow_plain_http = true;  // as the cases' addresses are
    manifest::trigger_rules rules;
    rules.versions = keda_versions_of(test_case);
    text::report findings;
    const json& expect = test_case.at("expect");
    auto opened =
        gputide::testing::open_source(trigger_of(test_case), rules, manifest::profile::strict, services, &findings);
    if (opened.ok() != expect.at("ok").get<bool>())
        return {opened ? "expected an error, got success" : "expected success, got: " + opened.failure().message};
    if (!opened) return {};
    json values = json::array();
    for (int i = 0; i < test_case.at("queries").get<int>(); ++i) {
        (*opened)->fetch(loop->wall_ms(), loop->steady_ms() + max_wait_ms,
                         [&values](const source::fetched& got) { values.push_back(milli_text(got)); });
        loop->run_until_idle();
    }
    const bool warned = std::any_of(findings.findings.begin(), findings.findings.end(),
                                    [](const text::finding& found) { return found.code == "oauth-without-secret"; });
    const json came = {{"values_milli", values},
                       {"token_requests", peers.seen().tokens},
                       {"queries", peers.seen().queries},
                       {"warning", warned}};
    differences out;
    for (const auto& [member, wanted] : expect.items()) {
        if (came.contains(member)) expect_equal(out, member, wanted, came.at(member), {.subset = member == "queries"});
    }
    return out;
}

const registration oauth{"keda-prometheus", {"prom_oauth"}, &check_oauth};

}  // namespace
}  // namespace conformance::keda_oauth
