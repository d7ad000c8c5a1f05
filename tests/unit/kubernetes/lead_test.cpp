// Tests which process leads: the plan of one Lease, two instances that share it, work spread over several.
#include "kubernetes/lease/elector.hpp"
#include "support.hpp"

#include <map>
#include <set>

namespace gputide::kubernetes {
namespace {

using testing::answered;
using testing::lease_body;
using testing::scripted;
using testing::scripted_answer;
using testing::status_body;

constexpr std::int64_t wall = 1'760'000'000'123;

lease_settings settings_of(const std::string& identity, std::int32_t shards = 1) {
    lease_settings out;
    out.name_space = "own";
    out.identity = identity;
    out.shards = shards;
    return out;
}

reply good(const std::string& body) { return judge(answered(200, body), kube::lease_of("own", "gputide")); }
reply bad(std::int32_t code) { return judge(answered(code, status_body(code, "X")), kube::lease_of("own", "gputide")); }
kube::lease record(const std::string& body) {
    return *kube::read_lease(answered(200, body), kube::lease_of("own", "gputide"));
}

class LeasePlan : public ::testing::Test {
  protected:
    lease_plan plan{settings_of("me")};

    std::optional<api_request> read(const std::string& body, std::int64_t now_ms) {
        return plan.read_came(good(body), record(body), now_ms, wall);
    }
    void wrote(const std::string& body, std::int64_t sent_ms) { plan.wrote(good(body), record(body), sent_ms); }
};

TEST_F(LeasePlan, OneThatIsNotThereIsMade) {
    EXPECT_EQ(plan.attempt(0, wall).method, "GET");
    const auto post = plan.read_came(bad(404), std::nullopt, 0, wall);
    ASSERT_TRUE(post);
    EXPECT_EQ(post->method, "POST");
    EXPECT_EQ(post->body,
              R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"gputide","namespace":"own",)"
              R"("annotations":{"gputide.io/shards":"1"}},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,)"
              R"("acquireTime":"2025-10-09T08:53:20.123000Z","renewTime":"2025-10-09T08:53:20.123000Z",)"
              R"("leaseTransitions":0}})");
    EXPECT_FALSE(plan.holds(0));
    wrote(lease_body("me", "1", 0), 0);
    EXPECT_TRUE(plan.holds(9'999));
    EXPECT_FALSE(plan.holds(10'000));
}

TEST(Elector, DoesNotWriteOverALeaseWithoutAVersion) {
    testing::api_world world;
    world.loop->answer_with([](const http::request&) { return scripted(200, lease_body("", "", 0)); });
    shard_leads leads(world.api, settings_of("me"), [] {});
    const auto entry = leads.electors().front();
    leads.start();
    world.loop->advance(10'000);
    leads.stop();
    EXPECT_FALSE(entry->leads());
    EXPECT_NE(entry->why().message.find("no metadata.resourceVersion"), std::string::npos) << entry->why().message;
    for (const std::string& asked : world.asked()) EXPECT_TRUE(asked.starts_with("GET ")) << asked;
}

// Only how long it has not changed here counts, whatever times stand in it.
TEST_F(LeasePlan, AnothersIsTakenWhenItHasNotChangedForItsDuration) {
    EXPECT_FALSE(read(lease_body("other", "1", 0), 1'000));
    EXPECT_FALSE(read(lease_body("other", "1", 0), 15'999));
    EXPECT_FALSE(read(lease_body("other", "2", 2), 15'999));  // renewed
    EXPECT_FALSE(read(lease_body("other", "2", 2), 30'998));
    const auto put = read(lease_body("other", "2", 2), 30'999);
    ASSERT_TRUE(put);
    EXPECT_EQ(put->method, "PUT");
    EXPECT_NE(put->body.find(R"("resourceVersion":"2")"), std::string::npos);
    EXPECT_NE(put->body.find(R"("leaseTransitions":4)"), std::string::npos);
}

TEST_F(LeasePlan, AReleasedOneIsTakenAtOnce) { EXPECT_TRUE(read(lease_body("", "5", 0, "1", 1), 100)); }

TEST_F(LeasePlan, TheHolderWritesOverWhatItRemembers) {
    wrote(lease_body("me", "4", 0), 1'000);
    const api_request put = plan.attempt(3'000, wall);
    EXPECT_EQ(put.method, "PUT");
    EXPECT_NE(put.body.find(R"("resourceVersion":"4")"), std::string::npos);
    EXPECT_NE(put.body.find(R"("acquireTime":"2026-03-01T10:00:00.000000Z")"), std::string::npos);
    EXPECT_NE(put.body.find(R"("leaseTransitions":3)"), std::string::npos);
}

TEST_F(LeasePlan, AConflictIsReadBeforeTheNextTry) {
    wrote(lease_body("me", "4", 0), 1'000);
    plan.wrote(bad(409), std::nullopt, 3'000);
    EXPECT_EQ(plan.attempt(5'000, wall).method, "GET");
    EXPECT_FALSE(read(lease_body("other", "9", 4), 5'000));
    EXPECT_FALSE(plan.holds(5'000));
}

// 15 s, of which 10 are led and the last 3 of those are not time to begin a write.
TEST_F(LeasePlan, AServerThatIsSilentEndsTheLead) {
    wrote(lease_body("me", "4", 0), 1'000);
    plan.wrote(bad(500), std::nullopt, 3'000);
    EXPECT_TRUE(plan.may_write(7'999));
    EXPECT_FALSE(plan.may_write(8'000));
    EXPECT_TRUE(plan.holds(10'999));
    EXPECT_FALSE(plan.holds(11'000));
    EXPECT_EQ(plan.attempt(20'000, wall).method, "GET");
}

TEST_F(LeasePlan, AStandbyComesWhenItRunsOut) {
    read(lease_body("other", "1", 0), 1'000);
    EXPECT_EQ(plan.wait_ms(2'000, 0.5), 1'000);
    EXPECT_EQ(plan.wait_ms(15'800, 0.5), 700);
}

TEST_F(LeasePlan, AnotherSpreadKeepsEverybodyQuietForOneLease) {
    read(lease_body("", "5", 0, "4", 1), 0);
    wrote(lease_body("me", "6", 1, "1"), 1'000);
    EXPECT_TRUE(plan.holds(2'000));
    EXPECT_FALSE(plan.agrees(2'000));
    wrote(lease_body("me", "7", 2, "1"), 14'000);
    EXPECT_FALSE(plan.agrees(15'999));
    EXPECT_TRUE(plan.agrees(16'000));
    EXPECT_FALSE(plan.agrees(24'000));  // not seen for too long
}

// A server that holds Leases as the real one does: a version each, 409 where it is another.
class lease_server {
  public:
    scripted_answer operator()(const http::request& what) {
        if (down) return testing::scripted_fault(http::fault::connect);
        const std::string name = what.url.substr(what.url.rfind('/') + 1);
        const std::string body(what.body.reveal());
        if (what.method == "POST" && leases.count(member(body, "name")) > 0) {
            return scripted(409, status_body(409, "AlreadyExists"));
        }
        if (what.method == "POST") return keep(member(body, "name"), body, 201);
        if (leases.count(name) == 0) return scripted(404, status_body(404, "NotFound"));
        if (what.method == "GET") return scripted(200, leases[name].body);
        if (member(body, "resourceVersion") != std::to_string(leases[name].version)) {
            return scripted(409, status_body(409, "Conflict"));
        }
        return keep(name, body, 200);
    }
    std::string holder(const std::string& name) { return member(leases[name].body, "holderIdentity"); }

    bool down = false;

  private:
    struct kept {
        std::int64_t version = 0;
        std::string body;
    };

    static std::string member(const std::string& body, const std::string& name) {
        const std::size_t at = body.find("\"" + name + "\":\"");
        if (at == std::string::npos) return {};
        const std::size_t from = at + name.size() + 4;
        return body.substr(from, body.find('"', from) - from);
    }
    scripted_answer keep(const std::string& name, std::string body, std::int32_t code) {
        const std::size_t old = body.find("\"resourceVersion\"");
        if (old != std::string::npos) body.erase(old, body.find(',', old) + 1 - old);
        kept& entry = leases[name];
        entry.version = ++last_;
        body.insert(body.find("\"annotations\""), "\"resourceVersion\":\"" + std::to_string(last_) + "\",");
        entry.body = body;
        return scripted(code, std::move(body));
    }

    std::map<std::string, kept> leases;
    std::int64_t last_ = 0;
};

// Instances on one loop: one time for all, and each its own way to the server.
class Shards : public ::testing::Test {
  protected:
    lease_server server;
    testing::api_world world;
    std::map<std::string, std::unique_ptr<shard_leads>> instances;
    std::vector<object_key> keys;

    void SetUp() override {
        world.loop->answer_with([this](const http::request& what) { return server(what); });
        for (int i = 0; i < 40; ++i) keys.push_back({"ml", "so-" + std::to_string(i)});
    }
    void add(const std::string& name, std::int32_t shards) {
        instances[name] = std::make_unique<shard_leads>(world.api, settings_of(name, shards), [] {});
        instances[name]->start();
    }
    // The most writers of one key at once, and the longest that one has had none.
    std::pair<int, std::int64_t> watch_for(std::int64_t ms) {
        std::pair<int, std::int64_t> out{0, 0};
        std::map<object_key, std::int64_t> alone_since;
        for (std::int64_t at = 0; at < ms; at += 50) {
            world.loop->advance(50);
            for (const object_key& key : keys) {
                int writers = 0;
                for (const auto& [name, instance] : instances) writers += instance->may_write(key) ? 1 : 0;
                out.first = std::max(out.first, writers);
                if (writers > 0) alone_since[key] = at;
                out.second = std::max(out.second, at - alone_since[key]);
            }
        }
        return out;
    }
};

TEST_F(Shards, NamesAndPlaces) {
    EXPECT_EQ(lease_name("gputide", 0), "gputide");
    EXPECT_EQ(lease_name("gputide", 3), "gputide-3");
    std::set<std::int32_t> used;
    for (const object_key& key : keys) used.insert(shard_of(key, 4));
    EXPECT_EQ(used, (std::set<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(shard_of({"ml", "llm"}, 1), 0);
    EXPECT_EQ(shard_of({"ml", "llm"}, 4), 3);
}

TEST_F(Shards, TwoInstancesNeverWriteTheSame) {
    add("a", 1);
    add("b", 1);
    EXPECT_LE(watch_for(60'000).first, 1);
    EXPECT_EQ(instances["a"]->held() + instances["b"]->held(), 1);
}

TEST_F(Shards, AStandbyTakesOverWithinALeaseAndTwoSeconds) {
    add("a", 1);
    watch_for(5'000);
    add("b", 1);
    watch_for(7'000);
    ASSERT_EQ(instances["a"]->held(), 1);
    instances["a"]->stop();
    const auto [writers, alone_ms] = watch_for(30'000);
    EXPECT_EQ(writers, 1);
    EXPECT_LE(alone_ms, 17'000);
    EXPECT_EQ(server.holder("gputide"), "b");
}

TEST_F(Shards, AReleaseIsSeenWithinThreeSeconds) {
    add("a", 1);
    watch_for(5'000);
    add("b", 1);
    watch_for(3'000);
    bool released = false;
    instances["a"]->release([&] { released = true; });
    const auto [writers, alone_ms] = watch_for(10'000);
    EXPECT_TRUE(released);
    EXPECT_EQ(writers, 1);
    EXPECT_LE(alone_ms, 3'000);
}

TEST_F(Shards, AServerThatIsGoneStopsEverybody) {
    add("a", 1);
    watch_for(5'000);
    server.down = true;
    world.loop->advance(8'000);
    for (const object_key& key : keys) EXPECT_FALSE(instances["a"]->may_write(key));
    server.down = false;
    watch_for(20'000);
    EXPECT_TRUE(instances["a"]->may_write(keys[0]));
}

TEST_F(Shards, WorkMovesAndNobodyIsAloneForLongerThanALease) {
    add("a", 4);
    watch_for(10'000);
    EXPECT_EQ(instances["a"]->held(), 4);
    add("b", 4);
    add("c", 4);
    watch_for(5'000);
    instances["a"]->stop();
    const auto [writers, alone_ms] = watch_for(40'000);
    EXPECT_EQ(writers, 1);
    EXPECT_LE(alone_ms, 17'000);
    EXPECT_EQ(instances["b"]->held() + instances["c"]->held(), 4);
}

TEST_F(Shards, AnotherNumberOfShardsWritesNothing) {
    add("a", 4);
    watch_for(10'000);
    add("b", 2);
    EXPECT_EQ(watch_for(40'000).first, 1);
    EXPECT_EQ(instances["b"]->held(), 0);
    // And where the last of the old ones has gone, the new ones begin, one lease later.
    instances["a"]->stop();
    EXPECT_EQ(watch_for(60'000).first, 1);
    EXPECT_EQ(instances["b"]->held(), 2);
}

}  // namespace
}  // namespace gputide::kubernetes
