// azure-token, the token cases: a credential alone over a scripted peer → token, times, error, requests, waits.
#include "auth/azure/credentials.hpp"
#include "auth/credential.hpp"
#include "inside/azure_token_world.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <thread>

namespace conformance::azure_token {
namespace {

using gputide::auth::credential;
using gputide::auth::token;
using opened = gputide::result<std::shared_ptr<credential>>;

std::optional<std::string> text_of(const json& config, const char* name) {
    return config.contains(name) ? std::optional<std::string>(config.at(name).get<std::string>()) : std::nullopt;
}

gputide::auth::host_permissions permissions_of(const json& config) {
    gputide::auth::host_permissions out;
    out.allow_custom_authority = config.value("allow_custom_authority", false);
    out.enable_azure_proxy = config.value("enable_azure_proxy", false);
    return out;
}

opened open_credential(const std::string& kind, const json& config, const std::shared_ptr<token_world>& world) {
    using namespace gputide::auth;
    if (kind == "workload_identity") {
        return open_workload_identity({text_of(config, "identityId"), text_of(config, "identityTenantId"),
                                       text_of(config, "identityAuthorityHost")},
                                      permissions_of(config), world);
    }
    if (kind == "managed_identity") {
        return open_managed_identity({config.value("clientId", ""), config.value("objectId", ""),
                                      config.value("resourceId", ""), config.value("in_chain", false)},
                                     world);
    }
    if (kind == "client_secret") {
        return open_client_secret(
            {{config.value("tenantId", ""), config.value("clientId", ""), text_of(config, "authorityHost")},
             gputide::secret_text(config.value("clientSecret", ""))},
            permissions_of(config), *world);
    }
    throw std::runtime_error("unknown credential: " + kind);
}

// The result of one get_token, and how many requests there had been by then.
struct outcome {
    gputide::result<token> got;
    std::size_t requests = 0;
};

// Runs the case's actions one after another.
class play {
  public:
    explicit play(const json& object) : case_(object), world_(std::make_shared<token_world>(object)) {}

    void run() {
        json once = json::array();
        once.push_back(json::object({{"do", "get_token"}}));
        const json actions = case_.value("actions", once);
        for (const json& action : actions) {
            if (action.contains("at")) move_clock(action);
            const std::string what = action.at("do");
            if (what == "get_token") {
                get_token(action);
            } else if (what == "report_401") {
                report_401(action);
            } else if (what == "write_file") {
                world_->write_file(action.at("path"), action.at("content"));
            } else {
                throw std::runtime_error("unknown action: " + what);
            }
        }
    }

    token_world& world() { return *world_; }
    const std::vector<outcome>& outcomes() const { return outcomes_; }

  private:
    void move_clock(const json& action) {
        std::optional<std::int64_t> elapsed;
        if (action.contains("monotonic_elapsed_s")) elapsed = action.at("monotonic_elapsed_s").get<std::int64_t>();
        world_->move_to(action.at("at"), elapsed);
    }

    std::string scope_of(const json& action) const {
        return action.value("scope", case_.at("scope").get<std::string>());
    }

    // Opened once per identity, as a manifest's triggers do.
    opened credential_of(const json& action) {
        json config = case_.value("config", json::object());
        if (action.contains("identityId")) config["identityId"] = action.at("identityId");
        const std::string key = config.dump();
        const auto known = credentials_.find(key);
        if (known != credentials_.end()) return known->second;
        auto out = open_credential(case_.at("credential"), config, world_);
        if (out) credentials_.emplace(key, *out);
        return out;
    }

    void get_token(const json& action) {
        const auto from = credential_of(action);
        if (!from) {
            outcomes_.push_back({from.failure(), world_->requests()});
            return;
        }
        const json config = case_.value("config", json::object());
        const std::int64_t deadline_ms = config.contains("deadline_ms")
                                             ? world_->loop().steady_ms() + config.at("deadline_ms").get<std::int64_t>()
                                             : std::numeric_limits<std::int64_t>::max();
        const std::size_t callers = action.value("threads", std::size_t{1});
        std::vector<std::optional<gputide::result<token>>> told(callers);
        std::vector<std::thread> threads;
        threads.reserve(callers);
        for (auto& slot : told) {
            threads.emplace_back([&, deadline_ms] {
                cache_.get(*from, scope_of(action), deadline_ms,
                           [&slot](gputide::result<token> got) { slot = std::move(got); });
            });
        }
        for (std::thread& thread : threads) thread.join();  // all have asked before the first is answered
        world_->loop().run_until_idle();
        for (auto& slot : told) {
            if (!slot) throw std::runtime_error("a caller was never told");
            outcomes_.push_back({*std::move(slot), world_->requests()});
        }
    }

    void report_401(const json& action) {
        const auto from = credential_of(action);
        if (!from) throw std::runtime_error("no credential to report a refusal to");
        cache_.report_refused(**from, scope_of(action), action.at("token").get<std::string>());
    }

    const json& case_;
    std::shared_ptr<token_world> world_;
    gputide::auth::token_cache cache_{world_->shared_loop()};
    std::map<std::string, std::shared_ptr<credential>> credentials_;
    std::vector<outcome> outcomes_;
};

// Everything that a host could print of an error.
std::string all_text(const gputide::error& why) {
    std::string out =
        why.message + "\n" + why.where.text() + "\n" + why.service_code + "\n" + gputide::detail_json(why);
    for (const auto& [name, value] : why.fields) out.append("\n").append(name).append("=").append(value);
    return out;
}

std::string field_text(const gputide::error& why, const std::string& name) {
    for (const auto& [key, value] : why.fields) {
        if (key == name) return value;
    }
    if (name == "http_status" || name == "status") return std::to_string(why.http_status);
    if (name == "class") return std::string(gputide::class_word(why.error_class));
    if (name == "retryable") return why.retryable ? "true" : "false";
    if (name == "retry_at") return std::to_string(why.retry_at_ms / 1000);
    if (name == "service_code") return why.service_code;
    return "no such field";
}

void check_error_fields(differences& out, const json& expected, const gputide::error& why) {
    for (const auto& [name, value] : expected.items()) {
        expect_equal(out, "error_fields." + name, value.is_string() ? value.get<std::string>() : value.dump(),
                     field_text(why, name));
    }
}

void check_error(differences& out, const json& entry, const gputide::error& why) {
    const json& expected = entry.at("error");
    expect_equal(out, "error.class", expected.at("class"), std::string(gputide::class_word(why.error_class)));
    if (expected.contains("retryable")) expect_equal(out, "error.retryable", expected.at("retryable"), why.retryable);
    for (const json& part : expected.value("text_must_contain", json::array())) {
        expect_contains(out, "error text", part.get<std::string>(), why.message);
    }
    const std::string text = all_text(why);
    for (const json& secret : expected.value("must_not_contain", json::array())) {
        if (text.find(secret.get<std::string>()) != std::string::npos) {
            out.push_back("error text: holds " + secret.dump() + ", which must not be seen");
        }
    }
    if (entry.contains("retry_at")) expect_equal(out, "retry_at", entry.at("retry_at"), why.retry_at_ms / 1000);
    if (entry.contains("correlation_id"))
        check_error_fields(out, {{"correlation_id", entry.at("correlation_id")}}, why);
    for (const json* holder : {&entry, &expected}) {
        if (holder->contains("error_fields")) check_error_fields(out, holder->at("error_fields"), why);
    }
}

void check_token(differences& out, const json& entry, const token& got) {
    expect_equal(out, "token", entry.at("token"), std::string(got.value.reveal()));
    const auto seconds = [&](const char* name, std::int64_t ms) {
        if (entry.contains(name)) expect_equal(out, name, entry.at(name), ms / 1000);
    };
    seconds("expires_at", got.expires_at_ms);
    seconds("refresh_at", got.refresh_at_ms);
    seconds("usable_until", got.usable_until_ms);
}

void check_entry(differences& out, const json& entry, const outcome& got) {
    if (entry.contains("error")) {
        if (got.got)
            return out.push_back("expected an error of class " + entry.at("error").at("class").dump() +
                                 ", got a token");
        check_error(out, entry, got.got.failure());
    } else if (entry.contains("token")) {
        if (!got.got) return out.push_back("expected a token, got the error: " + got.got.failure().message);
        check_token(out, entry, *got.got);
    }
}

void check_delays(differences& out, const json& expected, const std::vector<std::int64_t>& got) {
    if (expected.size() != got.size()) {
        return out.push_back("delays: expected " + std::to_string(expected.size()) + ", got " +
                             std::to_string(got.size()));
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto least = expected[i].at("min_ms").get<std::int64_t>();
        const auto most = expected[i].at("max_ms").get<std::int64_t>();
        if (got[i] >= least && got[i] <= most) continue;
        out.push_back("delays[" + std::to_string(i) + "]: expected " + std::to_string(least) + ".." +
                      std::to_string(most) + " ms, got " + std::to_string(got[i]));
    }
}

// The old token passes where the case says so: an asynchronous renewal hands it to the caller that started it.
bool old_token_passes(const json& object, const json& entry, const outcome& got, const std::vector<outcome>& all) {
    const bool either = object.value("note", "").find("both tokens pass") != std::string::npos;
    if (!either || !entry.contains("token") || !got.got || all.empty() || !all.front().got) return false;
    return got.got->value.reveal() == all.front().got->value.reveal();
}

differences check_sequence(const json& test_case, const json& sequence, const std::vector<outcome>& got) {
    differences out;
    if (sequence.size() != got.size()) {
        return {"sequence: expected " + std::to_string(sequence.size()) + " results, got " +
                std::to_string(got.size())};
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
        differences here;
        if (!old_token_passes(test_case, sequence[i], got[i], got)) check_entry(here, sequence[i], got[i]);
        if (sequence[i].contains("requests"))
            expect_equal(here, "requests", sequence[i].at("requests"), got[i].requests);
        for (const std::string& text : here) out.push_back("sequence[" + std::to_string(i) + "]: " + text);
    }
    return out;
}

differences check_token_case(const json& test_case, const json&) {
    play acted(test_case);
    acted.run();
    const json& expect = test_case.at("expect");
    differences out = acted.world().wrong_requests();
    if (expect.contains("requests")) expect_equal(out, "requests", expect.at("requests"), acted.world().requests());
    if (expect.contains("delays")) check_delays(out, expect.at("delays"), acted.world().delays());
    if (expect.contains("sequence")) {
        const differences more = check_sequence(test_case, expect.at("sequence"), acted.outcomes());
        out.insert(out.end(), more.begin(), more.end());
    } else {
        check_entry(out, expect, acted.outcomes().front());
    }
    return out;
}

const registration token_cases{"azure-token", {}, &check_token_case};

}  // namespace
}  // namespace conformance::azure_token
