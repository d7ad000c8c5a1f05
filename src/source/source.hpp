// A configured metric: what to ask, how to read the answer, how to get both done.
// request() and read() are pure; fetch() joins them over a loop.  A new kind of source is one folder beside this file and
// one line in registry.cpp.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "auth/token/cache.hpp"
#include "base/pod.hpp"
#include "base/result.hpp"
#include "base/sample.hpp"
#include "config/field.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "http/loop.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gputide::source {

using labels = std::vector<std::pair<std::string, std::string>>;

struct point {
    std::int64_t time_ms = 0;
    double value = 0.0;  // may be NaN or infinite here; a sample's never is
};

// A native histogram at one time.  It is no number: a query must make one of it (histogram_quantile and the like).
struct histogram {
    std::int64_t time_ms = 0;
    double count = 0.0;
    double sum = 0.0;
    std::size_t buckets = 0;
};

struct series {
    source::labels labels;
    std::vector<point> points;  // one for an instant value, more for a range
    std::vector<histogram> histograms;
};

// A whole answer, before it becomes one number.
struct reading {
    std::string result_type;  // vector, matrix, scalar, string; a source's own word elsewhere
    std::vector<source::series> series;
    std::string string_value;  // result_type string
    std::int64_t string_time_ms = 0;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
    bool partial = false;  // the peer marked the answer as incomplete
};

// The same answer as far as one number needs it: the newest point of each series, no labels.
struct numbers {
    std::string result_type;
    std::vector<point> newest;  // of each series that has a point, in the answer's order
    std::size_t series = 0;     // all of them, histograms included
    std::string string_value;
    std::vector<std::string> warnings;
    std::vector<std::string> infos;
    bool partial = false;
};

// What makes one number of a reading.
struct reduction {
    std::string reduce;       // avg, max, min, sum, count, pNN; "": exactly one series
    bool ignore_null = true;  // empty, NaN and infinities read as 0 (KEDA's ignoreNullValues)
    bool accept_partial = false;
};

// The pieces that sources share.
struct services {
    std::shared_ptr<http::loop> loop;
    std::shared_ptr<auth::token_cache> tokens;
    std::shared_ptr<const auth::surroundings> host;
    auth::host_permissions permissions;
    auth::cluster_choice cluster;  // which Kubernetes API server, as the host says
};

// What a trigger's metadata says about scaling, whatever the source.
struct target {
    std::string metric_name;        // "s0-prometheus"
    std::int64_t target_milli = 0;  // threshold as a quantity
    double threshold = 0.0;
    double activation_threshold = 0.0;
    config::target_type type = config::target_type::average_value;

    // Of cpu and memory triggers, which the HPA reads itself: Resource, or ContainerResource where a container is named.
    std::string resource;  // "cpu", "memory"; "": an External metric
    std::string container;
    std::int32_t utilization_pct = 0;  // type utilization
};

// How much of an answer somebody wants to see.
enum class detail : std::int32_t {
    value = 0,       // the sample; `reading` then holds warnings and infos alone
    everything = 1,  // every series with its labels
};

struct fetched {
    source::reading reading;
    gputide::sample sample;                   // state says why there is no value
    error why;                                // status ok where sample.state is ok
    std::shared_ptr<const pod_reading> pods;  // of Pods and Resource metrics; else null
};

// Both ends included; step_ms > 0.
struct time_range {
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::int64_t step_ms = 0;
};

class metric_source {
  public:
    metric_source() = default;
    metric_source(const metric_source&) = delete;
    metric_source& operator=(const metric_source&) = delete;
    virtual ~metric_source() = default;

    virtual const source::target& target() const = 0;
    // Equal keys ask the same thing: endpoint, credential, query and parameters, without the time.  For sharing answers
    // inside a process; it may hold customHeaders as written, so it is never shown.
    virtual std::string query_key() const = 0;

    // Who asks, and what travels with the request; null where nothing is asked over the network.
    virtual const auth::authenticator* access() const { return nullptr; }

    // The host brings the number: there is nothing to ask, and fetch() says so.
    virtual bool is_pushed() const { return false; }

    // Pure halves.  The request has no token in it (that comes from fetch); static headers are there.
    virtual result<http::request> request(std::int64_t now_ms) const = 0;
    virtual result<source::reading> read(const http::answer& got) const = 0;
    virtual fetched judge(result<source::reading> got) const = 0;  // reading → one sample, by the trigger's rules

    // One value, token and one renewal after a 401 included.  deadline_ms on the loop's steady clock.  `done` runs on the
    // loop, never inside this call; the source must live until then, or until the exchange was cancelled.
    virtual std::shared_ptr<http::exchange> fetch(std::int64_t now_ms, std::int64_t deadline_ms,
                                                  std::function<void(fetched)> done, detail wanted = detail::value) = 0;

    // The past, where the endpoint keeps it: every series over a range.  As fetch(); null where has_range() is false.
    virtual bool has_range() const { return false; }
    virtual std::shared_ptr<http::exchange> fetch_range(const time_range&, std::int64_t,
                                                        std::function<void(result<source::reading>)>) {
        return nullptr;
    }
};

// Reads a trigger's metadata by its type's rules.  Errors name the trigger, the key and its place; warnings go to
// `findings` (may be null).  No I/O; `with` may be empty (all null) for a check or a policy, fetch() is not allowed then.
// The strict profile reads and judges as KEDA does, defects included (keda-semantics.md 11).
result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings);

// The trigger types that open() knows.
std::vector<std::string_view> known_types();

// The keys of a type's metadata and authentication, for documentation; empty: unknown type.
std::span<const config::field> keys_of(std::string_view type);

}  // namespace gputide::source
