// A cluster with one ScaledObject, ml/llm, its Deployment and perhaps an HPA: an API server behind the scripted loop, and what acts on it.
#pragma once

#include "kubernetes/controller/controller.hpp"
#include "unit/runtime/fleet_support.hpp"

#include <gtest/gtest.h>

#include <map>
#include <new>

namespace gputide::kubernetes {

using runtime::prometheus;
using runtime::vector_answer;

// Forwards to the scripted loop, and finds no memory where a test says so.
class exhausted_loop final : public http::loop {
  public:
    explicit exhausted_loop(std::shared_ptr<testing::scripted_loop> inner) : inner_(std::move(inner)) {}

    bool lacks_timer = false;                                // the next after() finds no memory
    std::function<void(const callback<void()>&)> runs_next;  // what the next after() is given
    std::string lost_method, lost;  // the answer to the next such request, and a part of its URL, finds none
    int losses = 0;

    http::ticket send(http::outgoing what, std::int64_t deadline_ms, callback<void(http::answer)> done) override {
        if (lost.empty() || what->method != lost_method || what->url.find(lost) == std::string::npos)
            return inner_->send(std::move(what), deadline_ms, std::move(done));
        lost.clear();
        return inner_->send(std::move(what), deadline_ms, [this, done = std::move(done)](const http::answer&) {
            ++losses;
            throw std::bad_alloc();
        });
    }
    http::ticket after(std::int64_t delay_ms, callback<void()> fire) override {
        if (std::exchange(lacks_timer, false)) throw std::bad_alloc();
        if (!runs_next) return inner_->after(delay_ms, std::move(fire));
        return inner_->after(delay_ms,
                             [run = std::exchange(runs_next, nullptr), fire = std::move(fire)] { run(fire); });
    }
    void cancel(http::ticket which) override { inner_->cancel(which); }
    http::ticket reserve() override { return inner_->reserve(); }
    std::int64_t steady_ms() const override { return inner_->steady_ms(); }
    std::int64_t wall_ms() const override { return inner_->wall_ms(); }
    double uniform() override { return inner_->uniform(); }

  private:
    const std::shared_ptr<testing::scripted_loop> inner_;
};

// Keeps an object of each kind, and tells its watches of each change.
class one_object_server {
  public:
    explicit one_object_server(http::loop& loop) : loop_(loop) {}

    double load = 1.0;               // what every Prometheus query answers
    std::int32_t max_ready = 1'000;  // pods that have a node
    int statuses = 0;
    std::vector<std::int32_t> sizes;                                   // that were written
    std::int64_t scale_read_ms = 0;                                    // what a GET of the scale takes
    int fail_scale_reads = 0, refuse_writes = 0, refuse_statuses = 0;  // so many of the next ones
    std::string unreadable;                              // a plural with lists and watches that are refused
    std::map<std::string, std::string> pages;            // what a GET of this path is answered
    std::string failing_query;                           // is answered 500
    bool serves_lws = false;                             // Lws of x.io/v1: the Deployments, under another name
    std::function<void(const http::request&)> on_asked;  // before each answer

    // fields: of metadata, behind name, namespace, uid and version.
    void put(const std::string& plural, const std::string& name, const std::string& fields, const std::string& rest) {
        const bool is_new = objects_.find(plural) == objects_.end();
        objects_[plural] = R"({"metadata":{"name":")" + name + R"(","namespace":"ml","uid":"u1","resourceVersion":")" +
                           std::to_string(++version_) + '"' + fields + "}," + rest + "}";
        tell(plural, is_new ? "ADDED" : "MODIFIED", objects_[plural]);
    }
    void rename(const std::string& plural, const std::string& from, const std::string& to) {
        std::string object = objects_[plural];
        drop(plural);
        object.replace(object.find("\"" + from + "\""), from.size() + 2, "\"" + to + "\"");
        tell(plural, "ADDED", object);
    }
    void drop(const std::string& plural) {
        ++version_;
        tell(plural, "DELETED", objects_.extract(plural).mapped());
    }
    void resize(std::int32_t size) {
        size_ = size;
        const std::string text = std::to_string(size);
        put("deployments", "llm", "",
            R"("spec":{"replicas":)" + text + R"(},"status":{"replicas":)" + text + R"(,"readyReplicas":)" +
                std::to_string(std::min(size, max_ready)) + "}");
    }
    std::int32_t size() const { return size_; }

    testing::scripted_answer operator()(const http::request& asked) {
        if (on_asked) on_asked(asked);
        if (!failing_query.empty() && asked.url.find("query=" + failing_query) != std::string::npos)
            return testing::scripted(500);
        for (const auto& [path, body] : pages)
            if (asked.url.find(path) != std::string::npos) return testing::scripted(200, body);
        if (asked.url.find("/query") != std::string::npos) return testing::scripted(200, vector_answer(load));
        if (asked.url.find("/leases") != std::string::npos) return lease(asked);
        if (ends(asked, "/scale")) return scale(asked);
        if (ends(asked, "/status")) {
            ++statuses;
            if (refuse_statuses > 0) {
                --refuse_statuses;
                return testing::scripted(500, no(500));
            }
        }
        if (serves_lws && ends(asked, "/apis/x.io"))
            return testing::scripted(200, R"({"kind":"APIGroup","apiVersion":"v1","name":"x.io",)"
                                          R"("preferredVersion":{"groupVersion":"x.io/v1","version":"v1"}})");
        if (serves_lws && ends(asked, "/apis/x.io/v1"))
            return testing::scripted(
                200, R"({"kind":"APIResourceList","apiVersion":"v1","resources":)"
                     R"([{"name":"deployments","kind":"Lws"},{"name":"deployments/scale","kind":"Scale"}]})");
        if (asked.method != "GET") return testing::scripted(200, "{}");
        if (!unreadable.empty() && plural_of(asked) == unreadable) return testing::scripted(503, no(503));
        return asked.stream ? watch(asked) : list(asked);
    }

  private:
    static std::string path_of(const http::request& asked) { return asked.url.substr(0, asked.url.find('?')); }
    static bool ends(const http::request& asked, std::string_view with) { return path_of(asked).ends_with(with); }
    static std::string plural_of(const http::request& asked) {
        const std::string path = path_of(asked);
        return path.substr(path.rfind('/') + 1);
    }
    static std::string event(const std::string& type, const std::string& object) {
        return R"({"type":")" + type + R"(","object":)" + object + "}\n";
    }
    void tell(const std::string& plural, const std::string& type, const std::string& object) {
        const auto watch = watches_.find(plural);
        if (watch == watches_.end()) return;
        loop_.after(0, [stream = watch->second, line = event(type, object)] { (*stream)(line); });
    }
    testing::scripted_answer list(const http::request& asked) const {
        const auto found = objects_.find(plural_of(asked));
        return testing::scripted(200, R"({"metadata":{"resourceVersion":")" + std::to_string(version_) +
                                          R"("},"items":[)" + (found == objects_.end() ? "" : found->second) + "]}");
    }
    testing::scripted_answer watch(const http::request& asked) {
        const std::string plural = plural_of(asked);
        watches_[plural] = asked.stream;
        const auto found = objects_.find(plural);
        auto out = testing::scripted(200, found == objects_.end() ? "" : event("MODIFIED", found->second));
        out.delay_ms = 1'000'000'000;
        return out;
    }
    static std::string no(int code) {
        return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) + "}";
    }
    testing::scripted_answer scale(const http::request& asked) {
        if (asked.method == "GET" && fail_scale_reads > 0) {
            --fail_scale_reads;
            return testing::scripted(503, no(503));
        }
        if (asked.method == "PUT" && refuse_writes > 0) {
            --refuse_writes;
            return testing::scripted(503, no(503), {{"Retry-After", "3600"}});
        }
        if (asked.method == "PUT") {
            const std::string body(asked.body.reveal());
            const std::string member = R"("replicas":)";
            sizes.push_back(std::stoi(body.substr(body.find(member) + member.size())));
            resize(sizes.back());
        }
        auto out = testing::scripted(
            200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"llm","namespace":"ml","uid":"u1")"
                 R"(,"resourceVersion":")" +
                     std::to_string(version_) + R"("},"spec":{"replicas":)" + std::to_string(size_) +
                     R"(},"status":{"replicas":)" + std::to_string(size_) + "}}");
        if (asked.method == "GET") out.delay_ms = scale_read_ms;
        return out;
    }
    static testing::scripted_answer lease(const http::request& asked) {
        if (asked.method == "GET") return testing::scripted(404, R"({"kind":"Status","code":404})");
        std::string body(asked.body.reveal());
        const std::string metadata = R"("metadata":{)";
        if (asked.method == "POST") body.insert(body.find(metadata) + metadata.size(), R"("resourceVersion":"1",)");
        return testing::scripted(asked.method == "POST" ? 201 : 200, body);
    }

    http::loop& loop_;
    std::map<std::string, std::string> objects_;  // by plural
    std::map<std::string, std::shared_ptr<const std::function<void(std::string_view)>>> watches_;
    std::int64_t version_ = 100;
    std::int32_t size_ = 0;
};

// Forwards to the fleet; a test may look at each decision before the controller does.
class watched_host final : public runtime::scaler_host {
  public:
    using watcher = std::function<void(const runtime::scaler&)>;

    watched_host(runtime::fleet& fleet, watcher watch) : fleet_(fleet), watch_(std::move(watch)) {}

    result<runtime::scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host,
                                   std::shared_ptr<runtime::actor> acts) override {
        return fleet_.add(spec, host, std::make_shared<watched_actor>(watch_, std::move(acts)));
    }
    result<void> replace(runtime::scaler_id id, const manifest::spec& spec, const pipeline::host_options& host,
                         std::optional<std::uint64_t> tag) override {
        return fleet_.replace(id, spec, host, tag);
    }
    result<void> remove(runtime::scaler_id id) override { return fleet_.remove(id); }
    result<void> poll_soon(runtime::scaler_id id) override { return fleet_.poll_soon(id); }
    result<void> observe(runtime::scaler_id id, const decide::observation& observation,
                         std::span<const std::string_view> messages) override {
        return fleet_.observe(id, observation, messages);
    }
    result<void> record(runtime::scaler_id id, decide::decision& decision, bool applied, std::int64_t now_ms,
                        std::string_view why) override {
        return fleet_.record(id, decision, applied, now_ms, why);
    }
    result<void> inherit(runtime::scaler_id id, const decide::inherited_state& inherited_state) override {
        return fleet_.inherit(id, inherited_state);
    }
    source::services services_for(const pipeline::host_options& host) const override {
        return fleet_.services_for(host);
    }
    void queue_note(runtime::scaler_id id, std::string name, std::string json) override {
        fleet_.queue_note(id, std::move(name), std::move(json));
    }

  private:
    struct watched_actor final : runtime::actor {
        watched_actor(const watcher& its_watch, std::shared_ptr<runtime::actor> watched)
            : watch(its_watch), acts(std::move(watched)) {}
        void decided(runtime::scaler_id id, const runtime::scaler& decided) override {
            watch(decided);
            acts->decided(id, decided);
        }
        const watcher& watch;
        const std::shared_ptr<runtime::actor> acts;
    };

    runtime::fleet& fleet_;
    const watcher watch_;
};

struct on_a_cluster : ::testing::Test {
    static constexpr const char* kedas_pause = R"("autoscaling.keda.sh/paused":"true")";
    static constexpr const char* our_mark = R"("gputide.io/owner":"gputide")";

    void SetUp() override {
        loop->answer_with([this](const http::request& asked) { return server(asked); });
        server.resize(1);
    }
    void TearDown() override {
        cluster->end([] {});
        loop->advance(1'000);
    }
    // Decides each second.  annotations: `"name":"value",...`; KEDA's operator looks after it where it has its finalizer.
    void put_scaler(const std::string& annotations = {}, bool is_kedas = true, std::int32_t most = 20) {
        const std::string more = annotations.empty() ? "" : "," + annotations;
        server.put(
            "scaledobjects", "llm",
            std::string(is_kedas ? R"(,"finalizers":["finalizer.keda.sh"])" : "") +
                R"(,"annotations":{"gputide.io/sync-period":"1s")" + more + "}",
            R"("spec":{"scaleTargetRef":{"name":"llm"},"pollingInterval":1,"minReplicaCount":1,"maxReplicaCount":)" +
                std::to_string(most) +
                R"(,"advanced":{"horizontalPodAutoscalerConfig":{"behavior":{"scaleDown":{"stabilizationWindowSeconds":0}}}},)"
                R"("triggers":[)" +
                prometheus("http://127.0.0.1:9090", "q") + "]}");
    }
    // The same for a custom resource; only its scale has the size.
    void put_lws_scaler(const std::string& annotations = {}) {
        const std::string more = annotations.empty() ? "" : "," + annotations;
        server.serves_lws = true;
        server.put("scaledobjects", "llm", R"(,"annotations":{"gputide.io/sync-period":"1s")" + more + "}",
                   R"("spec":{"scaleTargetRef":{"apiVersion":"x.io/v1","kind":"Lws","name":"llm"},"pollingInterval":1,)"
                   R"("minReplicaCount":1,"maxReplicaCount":20,"triggers":[)" +
                       prometheus("http://127.0.0.1:9090", "q") + "]}");
    }
    void put_scaled_job(const std::string& trigger_text, std::int32_t most, const std::string& fields = {},
                        std::int32_t polling_interval_s = 1) {
        server.put("scaledjobs", "train", fields,
                   R"("spec":{"pollingInterval":)" + std::to_string(polling_interval_s) + R"(,"maxReplicaCount":)" +
                       std::to_string(most) + R"(,"jobTargetRef":{"template":{"spec":{}}},"triggers":[)" +
                       trigger_text + "]}");
    }
    void put_hpa() {
        server.put(
            "horizontalpodautoscalers", "keda-hpa-llm", "",
            R"("spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"llm"},"maxReplicas":20})");
    }
    void drop_hpa() { server.drop("horizontalpodautoscalers"); }
    void attach() {
        settings.lease_namespace = "own";
        settings.identity = "a";
        kube::access at{"https://api.test:6443", "own", true, auth::authenticator()};
        this->cluster = make_controller(host, clusters_loop, std::move(at), settings, pipeline::host_options{});
        cluster->start();
        run(3'000);
    }
    void run(std::int64_t ms) {
        for (const std::int64_t end_ms = loop->steady_ms() + ms; loop->steady_ms() < end_ms;) {
            fleet.step(loop->wall_ms(), loop->wall_ms());
            loop->advance(std::min<std::int64_t>(50, end_ms - loop->steady_ms()));
        }
    }
    bool is_contested() const { return cluster->describe().find(R"("reason":"contested")") != std::string::npos; }

    static runtime::fleet_options soon() {
        runtime::fleet_options out;
        out.start_spread_ms = 1;
        return out;
    }

    std::shared_ptr<testing::scripted_loop> loop = std::make_shared<testing::scripted_loop>();
    std::shared_ptr<exhausted_loop> clusters_loop = std::make_shared<exhausted_loop>(loop);
    one_object_server server{*loop};
    kubernetes::settings settings;
    std::function<void()> on_decision = [] {};
    manifest::original_versions decided_by;  // the rules of the last decision
    std::shared_ptr<runtime::controller> cluster;
    runtime::fleet fleet{soon(), loop, runtime::world::services(loop), {[] {}, [](bool) {}}};
    watched_host host{fleet, [this](const runtime::scaler& decided) {
                          on_decision();
                          decided_by = decided.policy().scaling.controller.versions;
                      }};
};

}  // namespace gputide::kubernetes
