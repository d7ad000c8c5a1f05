// An hour of simulated time with everything that goes wrong in one: servers that stop, Retry-After, slow answers,
// names that do not resolve, broken bodies, expiring tokens, clocks that jump, hosts that stall, scalers that come and go.
// Afterwards: no scaler is lost, every decision is accounted for, nothing has piled up, nothing is left over.
// GPUTIDE_SOAK_HOURS and GPUTIDE_SOAK_SCALERS make it longer and larger.
#include "fleet_support.hpp"
#include "support/simulated_loop.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <map>
#include <random>
#include <string>

namespace gputide::runtime {
namespace {

constexpr std::int64_t start_wall_ms = 1'760'000'000'000;
constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::int64_t weather_ms = 120'000;  // for so long a server stays as it is
constexpr std::int64_t token_life_ms = 300'000;
constexpr int servers = 6;

std::size_t setting(const char* name, std::size_t otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::stoul(value);
}
const std::size_t scalers = setting("GPUTIDE_SOAK_SCALERS", 300);
const auto soak_ms = static_cast<std::int64_t>(setting("GPUTIDE_SOAK_HOURS", 1)) * hour_ms;

// The pod that an Azure credential finds itself in.
class pod final : public auth::surroundings {
  public:
    std::optional<std::string> environment(const std::string& name) const override {
        if (name == "AZURE_CLIENT_ID") return "11111111-1111-1111-1111-111111111111";
        if (name == "AZURE_TENANT_ID") return "22222222-2222-2222-2222-222222222222";
        if (name == "AZURE_FEDERATED_TOKEN_FILE") return "/var/run/token";
        if (name == "AZURE_AUTHORITY_HOST") return "https://login.microsoftonline.com/";
        return std::nullopt;
    }
    result<secret_text> read_file(const std::string&, std::size_t) const override {
        return secret_text(std::string("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln"));
    }
};

enum class weather { fine, stopped, throttled, slow, unresolved, cut, failing, garbage };

class soak {
  public:
    explicit soak(std::uint64_t seed) : random_(seed), seed_(seed) {
        fleet_options with;
        with.every_decision = true;
        with.seed = seed;
        with.max_in_flight = 64;
        with.max_per_endpoint = 16;
        source::services services;
        services.loop = loop_;
        services.tokens = std::make_shared<auth::token_cache>(loop_);
        services.host = std::make_shared<pod>();
        fleet_ = std::make_unique<fleet>(with, loop_, services, fleet::signals{[] {}, [](bool) {}});
    }

    void run() {
        while (ids_.size() < scalers) add_one();
        while (loop_->steady_ms() < soak_ms && !::testing::Test::HasFatalFailure()) turn();
        calm_ = true;
        const std::map<std::string, std::uint64_t> before = polls();
        // After the last fault: breakers open for a minute at most, wishes for at most a minute, periods are 30 s.
        const std::int64_t end_ms = loop_->steady_ms() + 200'000;
        while (loop_->steady_ms() < end_ms) drive();
        take_all();
        expect_nobody_lost(before);
        expect_accounts_to_balance();
        while (!ids_.empty()) remove_one();
        while (loop_->next_ms() != schedule::never) loop_->advance_to(loop_->next_ms());
        expect_nothing_left();
    }

  private:
    std::uint64_t below(std::uint64_t count) { return random_() % count; }
    bool chance(int percent) { return below(100) < static_cast<std::uint64_t>(percent); }

    weather weather_of(std::uint64_t server) const {
        if (calm_) return weather::fine;
        std::mt19937_64 of(seed_ * 1'000'003 + server * 7'919 +
                           static_cast<std::uint64_t>(loop_->steady_ms() / weather_ms));
        const std::uint64_t drawn = of() % 14;
        return drawn < 7 ? weather::fine : static_cast<weather>(drawn - 6);
    }

    testing::simulated_answer plain(std::int32_t status, std::string body) {
        testing::simulated_answer out;
        out.what.response = {status, {}, std::move(body)};
        out.delay_ms = static_cast<std::int64_t>(5 + below(40));
        return out;
    }

    testing::simulated_answer give_token() {
        if (!calm_ && chance(10)) return plain(503, "busy");
        ++tokens_;
        auto out = plain(200, R"({"token_type":"Bearer","expires_in":)" + std::to_string(token_life_ms / 1'000) +
                                  R"(,"access_token":"t)" + std::to_string(loop_->steady_ms()) + "\"}");
        out.what.response.headers = {{"Content-Type", "application/json"}};
        return out;
    }

    testing::simulated_answer answer(const http::request& what) {
        if (what.url.find("login.microsoftonline.com") != std::string::npos) return give_token();
        if (const http::header* header = what.find("Authorization")) {
            const std::string_view value = header->value.reveal();
            const auto issued = std::stoll(std::string(value.substr(value.find(" t") + 2)));
            // Now and then a server drops a token before its time.
            if (issued + token_life_ms < loop_->steady_ms() || (!calm_ && chance(1))) return plain(401, "expired");
        }
        const std::size_t at = what.url.find("server-");
        switch (weather_of(at == std::string::npos ? 0 : static_cast<std::uint64_t>(what.url[at + 7] - '0'))) {
            case weather::fine:
                return plain(200, vector_answer(static_cast<double>(below(60))));
            case weather::stopped:
                return fault(http::fault::connect);
            case weather::throttled: {
                auto out = plain(429, "slow down");
                out.what.response.headers = {{"Retry-After", std::to_string(1 + below(50))}};
                return out;
            }
            case weather::slow: {
                auto out = plain(200, vector_answer(7));
                out.delay_ms = static_cast<std::int64_t>(below(20'000));
                return out;
            }
            case weather::unresolved:
                return fault(http::fault::resolve);
            case weather::cut:
                return fault(http::fault::reset);
            case weather::failing:
                return plain(500, "oh no");
            case weather::garbage:
                return plain(200, "{\"status\":");
        }
        return plain(200, vector_answer(1));
    }

    static testing::simulated_answer fault(http::fault what) {
        testing::simulated_answer out;
        out.what.fault = what;
        out.what.fault_text = http::fault_name(what);
        out.delay_ms = 3;
        return out;
    }

    std::string text(const std::string& name) {
        const std::uint64_t server = below(servers);
        const std::string query = chance(30) ? "up" : "up{model='" + name + "'}";
        if (server == 0) {
            return manifest(name, prometheus("https://server-0.eastus.prometheus.monitor.azure.com", query)
                                      .insert(1, R"("authenticationRef":{"name":"azure"},)")) +
                   "\n"
                   R"({"apiVersion":"keda.sh/v1alpha1","kind":"TriggerAuthentication","metadata":{"name":"azure"},
                       "spec":{"podIdentity":{"provider":"azure-workload"}}})";
        }
        return manifest(name, prometheus("https://server-" + std::to_string(server) + ".example", query));
    }

    static manifest::spec read(const std::string& text) {
        std::vector<manifest::text_file> files;
        std::vector<std::string> parts;
        const std::size_t cut = text.find("\n{");
        files.push_back({"manifest", std::string_view(text).substr(0, cut)});
        if (cut != std::string::npos) files.push_back({"auth", std::string_view(text).substr(cut)});
        auto out = pipeline::load_spec(files, {}, nullptr);
        EXPECT_TRUE(out) << (out ? "" : out.failure().message);
        return *out;
    }

    void add_one() {
        const std::string name = "model-" + std::to_string(ids_.size()) + "-" + std::to_string(++names_);
        const auto id = fleet_->add(read(text(name)), {});
        ASSERT_TRUE(id) << (id ? "" : id.failure().message);
        ids_.emplace("default/" + name, *id);
        observe(*id);
    }

    std::map<std::string, scaler_id>::iterator any() {
        return std::next(ids_.begin(), static_cast<std::ptrdiff_t>(below(ids_.size())));
    }

    void remove_one() {
        const auto gone = any();
        EXPECT_TRUE(fleet_->remove(gone->second));
        EXPECT_FALSE(fleet_->remove(gone->second));
        ids_.erase(gone);
    }

    void observe(scaler_id which) {
        decide::observation seen;
        seen.now_ms = loop_->wall_ms();
        seen.spec_replicas = static_cast<std::int32_t>(1 + below(19));
        EXPECT_TRUE(fleet_->observe(which, seen));
    }

    void host_meddles() {
        const auto entry = any();
        switch (below(6)) {
            case 0:
                return observe(entry->second);
            case 1:
                remove_one();
                return add_one();
            case 2: {
                const std::string name = entry->first.substr(entry->first.find('/') + 1);
                EXPECT_TRUE(fleet_->replace(entry->second, read(text(name)), {}));
                return;
            }
            case 3: {
                const auto saved = fleet_->save(entry->second);
                ASSERT_TRUE(saved);
                EXPECT_TRUE(fleet_->load(entry->second, *saved));
                return;
            }
            case 4:
                return fleet_->interrupt();
            default:
                return take_all();
        }
    }

    void take_all() {
        while (auto event = fleet_->take_event()) {
            ASSERT_EQ(event->sequence, ++taken_) << "an event twice, or one missing";
            ASSERT_EQ(ids_.count(event->name), 1U) << "an event of a scaler that is gone";
            ASSERT_EQ(ids_[event->name], event->id);
            told_ += 1 + event->replaced;
            if (event->decision.desired_replicas == event->decision.current_replicas || chance(10)) continue;
            EXPECT_TRUE(fleet_->record(event->id, event->decision, chance(80), loop_->wall_ms()));
        }
    }

    // One step, then as much time as it asked for.
    void drive() {
        fleet_->step(loop_->wall_ms(), use_wall_ ? loop_->wall_ms() : loop_->steady_ms());
        std::int64_t next_ms = loop_->steady_ms() + 1'000;
        if (const std::int64_t wait_ms = fleet_->next_delay_ms(); wait_ms >= 0) {
            next_ms = std::min(next_ms, loop_->steady_ms() + wait_ms);
        }
        loop_->advance_to(std::max(std::min(next_ms, loop_->next_ms()), loop_->steady_ms()));
    }

    void turn() {
        drive();
        if (below(1'000) != 0) return;
        if (chance(60)) host_meddles();
        if (chance(4)) loop_->shift_wall(static_cast<std::int64_t>(below(7'200'000)) - 3'600'000);
        if (chance(4)) loop_->advance_to(loop_->steady_ms() + static_cast<std::int64_t>(below(120'000)));  // a stall
        const fleet_stats now = fleet_->stats();
        ASSERT_LE(now.events_waiting, ids_.size());
        ASSERT_LE(now.traffic.in_flight, 64);
        ASSERT_LE(now.polls_in_flight, ids_.size());
        ASSERT_LE(now.scheduled, 3 * ids_.size());
        ASSERT_LE(now.traffic.waiting, 2 * ids_.size());
        ASSERT_LE(now.traffic.kept_bytes, std::size_t{17} << 20);
    }

    std::map<std::string, std::uint64_t> polls() const {
        std::map<std::string, std::uint64_t> out;
        for (const auto& [name, id] : ids_) {
            out[name] = nlohmann::json::parse(*fleet_->describe(id)).at("polls").get<std::uint64_t>();
        }
        return out;
    }

    void expect_nobody_lost(const std::map<std::string, std::uint64_t>& before) const {
        EXPECT_EQ(ids_.size(), scalers);
        for (const auto& [name, count] : polls()) {
            EXPECT_GE(count, before.at(name) + 10) << name << " was not polled any more";
            const auto last = nlohmann::json::parse(*fleet_->describe(ids_.at(name)));
            EXPECT_EQ(last.at("metrics").at(0).at("state"), "ok") << name << " did not recover: " << last;
        }
    }

    void expect_accounts_to_balance() const {
        const fleet_stats stats = fleet_->stats();
        EXPECT_EQ(stats.polls_lost, 0U);
        EXPECT_EQ(stats.events_waiting, 0U);
        EXPECT_EQ(stats.decisions, stats.events + stats.events_replaced) << "every decision is an event or part of one";
        EXPECT_EQ(stats.events, stats.events_taken + stats.events_dropped);
        EXPECT_EQ(stats.events_taken, taken_);
        EXPECT_GT(tokens_, soak_ms / token_life_ms) << "tokens expired and were renewed";
        EXPECT_GT(stats.traffic.shared, 100U);
        EXPECT_GT(stats.traffic.held, 100U) << "breakers opened";
        for (const char* reason : {"E_UNAVAILABLE", "E_THROTTLED", "E_TIMEOUT", "E_PROTOCOL"}) {
            EXPECT_GT(stats.errors.count(reason), 0U) << reason << " never happened";
        }
        EXPECT_GT(stats.decisions, scalers * static_cast<std::size_t>(soak_ms / 15'000) * 7 / 10);
    }

    void expect_nothing_left() const {
        const fleet_stats stats = fleet_->stats();
        EXPECT_EQ(stats.scalers, 0U);
        EXPECT_EQ(stats.polls_in_flight, 0U);
        EXPECT_EQ(stats.traffic.in_flight, 0);
        EXPECT_EQ(stats.traffic.waiting, 0U);
        EXPECT_EQ(stats.queries, 0U);
        EXPECT_EQ(loop_->pending(), 0U);
    }

    std::mt19937_64 random_;
    const std::uint64_t seed_;
    bool calm_ = false;
    bool use_wall_ = random_() % 2 == 0;  // a host that steps by the clock that jumps
    std::shared_ptr<testing::simulated_loop> loop_ = std::make_shared<testing::simulated_loop>(
        [this](const http::request& what) { return answer(what); }, start_wall_ms);
    std::unique_ptr<fleet> fleet_;
    std::map<std::string, scaler_id> ids_;
    int names_ = 0;
    std::uint64_t taken_ = 0, told_ = 0;
    std::int64_t tokens_ = 0;
};

TEST(Soak, AnHourOfFaults) { soak(20'261'121).run(); }

TEST(Soak, AnotherHourOfThem) { soak(7).run(); }

}  // namespace
}  // namespace gputide::runtime
