#include "kubernetes/aks/pool.hpp"

#include "auth/azure/services.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "http/message.hpp"
#include "text/document.hpp"
#include "text/setting.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gputide::aks {
namespace {

error wrong(std::string_view member, std::string_view expected) {
    return fail(status::invalid, "{}: expected {}", member, expected).at("change");
}

// "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.ContainerService/managedClusters/NAME"
bool is_cluster(std::string_view text) {
    static constexpr std::array<std::string_view, 9> shape{
        "", "subscriptions", {}, "resourceGroups", {}, "providers", "Microsoft.ContainerService", "managedClusters",
        {}};
    const std::vector<std::string_view> parts = split(text, '/');
    if (parts.size() != shape.size() || !parts.front().empty()) return false;
    for (std::size_t i = 1; i < shape.size(); ++i) {
        if (shape[i].empty() ? !http::is_path_part(parts[i]) : !equal_ignoring_case(shape[i], parts[i])) return false;
    }
    return true;
}

// ^[a-z][a-z0-9]{0,11}$
bool is_pool(std::string_view text) {
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= 12 && is_small(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return is_small(c) || (c >= '0' && c <= '9'); });
}

struct written {
    change wanted;
    std::string cloud;
    std::string endpoint;
};

using row = text::setting<written>;
template <auto... Path>
constexpr auto to = text::fill_member<written, Path...>;
constexpr text::value_rule a_node_count = text::a_whole(0, 1'000);  // Azure/azure-rest-api-specs, AgentPools count

constexpr std::array rows{
    row{"cluster", text::a_text(), to<&written::wanted, &change::cluster>},
    row{"pool", text::a_text(), to<&written::wanted, &change::pool>},
    row{"cloud", text::a_text(), to<&written::cloud>},
    row{"endpoint", text::a_text(), to<&written::endpoint>},
    row{"count", a_node_count, to<&written::wanted, &change::count>},
    row{"min", a_node_count, to<&written::wanted, &change::min>},
    row{"max", a_node_count, to<&written::wanted, &change::max>},
    row{"dry", text::a_flag, to<&written::wanted, &change::dry>},
};

result<void> find_endpoint(written& from) {
    if (!from.endpoint.empty()) {
        auto audience = auth::private_audience(from.endpoint, "endpoint", false);
        if (!audience) return audience.take_failure();
        while (!from.endpoint.empty() && from.endpoint.back() == '/') from.endpoint.pop_back();
        from.wanted.base = from.endpoint;
        from.wanted.audience = *std::move(audience);
        return {};
    }
    const std::optional<auth::azure_cloud> cloud = auth::azure_cloud_named(from.cloud);
    if (!cloud) return wrong("cloud", "AzurePublicCloud, AzureUSGovernmentCloud or AzureChinaCloud");
    from.wanted.audience = auth::azure_audience(auth::azure_api::resource_manager, *cloud);
    from.wanted.base = "https://" + from.wanted.audience.hosts.front();
    return {};
}

result<void> check(const change& change) {
    if (!is_cluster(change.cluster))
        return wrong("cluster",
                     "/subscriptions/ID/resourceGroups/NAME/providers/Microsoft.ContainerService/managedClusters/NAME");
    if (!is_pool(change.pool)) return wrong("pool", "up to 12 lower-case letters and digits, a letter first");
    if (change.count && (change.min || change.max))
        return fail_at(status::invalid, "change",
                       "count is for a pool without an autoscaler, min and max for a pool that AKS' autoscaler scales: "
                       "give only count, or min and max");
    if (change.min && change.max && *change.min > *change.max)
        return fail(status::invalid, "min {} is above max {}", *change.min, *change.max).at("change");
    return {};
}

}  // namespace

result<change> read_change(std::string_view text) {
    if (trim(text).empty()) return fail_at(status::invalid, "change", "expected a JSON object");
    written from;
    error why = text::read_json_settings("change: ", text, limits::manifest_bytes, std::span<const row>(rows), from);
    if (why.status != status::ok) return why;
    if (result<void> ok = check(from.wanted); !ok) return ok.take_failure();
    if (result<void> ok = find_endpoint(from); !ok) return ok.take_failure();
    return std::move(from.wanted);
}

namespace {

using text::node;
using text::node_kind;

// Members that the service sets and rejects or ignores in requests, and members that body_with() writes itself.
bool is_left_out(std::string_view name) {
    static constexpr std::array<std::string_view, 8> names{
        "count", "currentOrchestratorVersion", "eTag", "maxCount", "minCount", "nodeImageVersion", "provisioningState",
        "status"};
    return std::ranges::find(names, name) != names.end();
}

std::int64_t number_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr ? parse_int64(found->text).value_or(0) : 0;
}

// Writes a tree that was read from JSON as JSON again.
void write(json_writer& out, const node& item) {
    if (item.kind == node_kind::mapping) {
        out.begin_object();
        for (const node& child : item.children) write(out.key(child.key), child);
        out.end_object();
    } else if (item.kind == node_kind::sequence) {
        out.begin_array();
        for (const node& child : item.children) write(out, child);
        out.end_array();
    } else if (item.quoted) {
        out.string(item.text);
    } else {
        out.raw(item.text.empty() ? std::string_view("null") : std::string_view(item.text));
    }
}

}  // namespace

std::string text_of(const node& from, std::string_view name) {
    const node* const found = from.find(name);
    return found != nullptr && found->quoted ? found->text : std::string();
}

result<agent_pool> read_pool(std::string_view body) {
    text::read_text read = text::read_json(body);
    if (read.failure || read.roots.size() != 1)
        return fail(error_class::protocol,
                    "the response is not JSON; check that the endpoint is Azure Resource Manager");
    node& root = read.roots.front();
    const auto found = std::ranges::find_if(root.children, [](const node& node) { return node.key == "properties"; });
    if (found == root.children.end() || found->kind != node_kind::mapping || found->find("vmSize") == nullptr)
        return fail(error_class::protocol, "the response is not an agent pool: properties.vmSize is missing");
    agent_pool out;
    const node* const autoscaling = found->find("enableAutoScaling");
    out.size.autoscaling = autoscaling != nullptr && autoscaling->text == "true";
    out.size.count = number_of(*found, "count");
    if (out.size.autoscaling) {
        out.size.min = number_of(*found, "minCount");
        out.size.max = number_of(*found, "maxCount");
    }
    out.etag = text_of(*found, "eTag");
    out.provisioning_state = text_of(*found, "provisioningState");
    out.properties = std::move(*found);
    return out;
}

result<pool_size> changed(const pool_size& now, const change& wanted) {
    pool_size out = now;
    if (wanted.count && now.autoscaling)
        return fail_at(status::invalid, "change",
                       "count: AKS' autoscaler scales this pool and would undo the change; set min or max, or turn the "
                       "autoscaler off");
    if ((wanted.min || wanted.max) && !now.autoscaling)
        return fail_at(status::invalid, "change",
                       "min and max: AKS' autoscaler is off for this pool; set count, or turn the autoscaler on");
    out.count = wanted.count.value_or(now.count);
    out.min = wanted.min.value_or(now.min);
    out.max = wanted.max.value_or(now.max);
    if (out.autoscaling && out.min > out.max)
        return fail(status::invalid, "min {} is above max {}; lower min, or also set max", out.min, out.max)
            .at("change");
    // The service rejects a count outside the range.
    if (out.autoscaling) out.count = std::clamp(out.count, out.min, out.max);
    return out;
}

std::string body_with(const agent_pool& agent_pool, const pool_size& size) {
    json_writer out;
    out.begin_object().key("properties").begin_object();
    for (const node& member : agent_pool.properties.children) {
        if (!is_left_out(member.key)) write(out.key(member.key), member);
    }
    out.member("count", size.count);
    if (size.autoscaling) out.member("minCount", size.min).member("maxCount", size.max);
    out.end_object().end_object();
    return out.take();
}

// ---- writing a change

namespace {

constexpr std::string_view api_version = "2025-05-01";
constexpr std::int64_t poll_ms = 10'000;       // if the service names no delay
constexpr std::int64_t busy_ms = 30'000;       // after a conflict, if the service names no delay
constexpr std::int64_t max_pause_ms = 60'000;  // maximum for delays that the service names
constexpr std::string_view role = "Azure Kubernetes Service Contributor Role on the cluster";
constexpr std::int32_t max_reads = 3;  // the pool is read again if another client changed it

// The state of an operation: {"status":"InProgress"} or {"status":"Failed","error":{"code":"…","message":"…"}}.
// A pool's own body has its state in properties.provisioningState.
struct progress {
    std::string state;
    std::string why;

    bool succeeded() const { return equal_ignoring_case(state, "Succeeded"); }
    bool ended_badly() const { return equal_ignoring_case(state, "Failed") || equal_ignoring_case(state, "Canceled"); }
};

std::optional<progress> read_progress(std::string_view body) {
    const text::read_text read = text::read_json(body);
    if (read.failure || read.roots.size() != 1) return std::nullopt;
    const text::node& root = read.roots.front();
    progress out{text_of(root, "status"), {}};
    if (const text::node* const properties = root.find("properties"); out.state.empty() && properties != nullptr)
        out.state = text_of(*properties, "provisioningState");
    if (const text::node* const why = root.find("error"))
        out.why = format_text("{}: {}", text_of(*why, "code"), text_of(*why, "message"));
    if (out.state.empty()) return std::nullopt;
    return out;
}

// Returns the error for a missing ETag.  "If-Match: *" does not help: it also overwrites a change that another client has
// just made.
error without_etag() {
    return fail(error_class::protocol,
                "the response has no properties.eTag, which protects changes by other clients; nothing was written; "
                "check that the endpoint is Azure Resource Manager");
}

// Returns a rule without retries: a write without a response may have succeeded, and a retry would then cause a conflict.
http::retry_rule once() {
    http::retry_rule out = auth::one_safe_repeat();
    out.max_retries = 0;
    return out;
}

class writing final : public http::operation<result<write_outcome>> {
  public:
    writing(const std::shared_ptr<http::loop>& loop, auth::authenticator authenticator, change wanted,
            std::int64_t deadline_ms, callback<void(result<write_outcome>)> done)
        : operation(*loop, deadline_ms, std::move(done)),
          loop_(loop),
          by_(std::move(authenticator)),
          wanted_(std::move(wanted)),
          url_(format_text("{}{}/agentPools/{}?api-version={}", wanted_.base, wanted_.cluster, wanted_.pool,
                           api_version)) {}

    void read() {
        ++reads_;
        ask({"GET", url_}, auth::one_safe_repeat(), &writing::compare);
    }

  private:
    using step = void (writing::*)(const auth::exchanged&);

    std::shared_ptr<writing> self() { return std::static_pointer_cast<writing>(shared_from_this()); }

    void ask(http::request request, http::retry_rule rule, step next) {
        if (result<void> ok = by_.prepare(request); !ok) return finish_soon(ok.take_failure());
        carry(auth::send_authenticated(
            loop_, by_, std::move(request), deadline_ms(),
            [self = self(), next](result<auth::exchanged>&& exchanged) {
                if (!exchanged) return self->finish(exchanged.take_failure());
                (self.get()->*next)(*exchanged);
            },
            std::move(rule)));
    }

    void fail_with(error why, const auth::exchanged& exchanged) {
        finish(
            auth::outward_error(std::move(why), wanted_.pool, exchanged.sent, loop_->wall_ms(), exchanged.retry_at_ms));
    }

    // Returns true if the service refused the request; ends with that error.
    bool refused(const auth::exchanged& exchanged) {
        std::optional<error> why = auth::service_refusal(exchanged.answer, exchanged.sent->url, role);
        if (!why) return false;
        fail_with(*std::move(why), exchanged);
        return true;
    }

    void compare(const auth::exchanged& exchanged) {
        if (refused(exchanged)) return;
        result<agent_pool> read = read_pool(exchanged.answer.response.body);
        if (!read) return fail_with(read.take_failure(), exchanged);
        result<pool_size> size = changed(read->size, wanted_);
        if (!size) return finish(size.take_failure());
        out_.before = read->size;
        out_.after = *size;
        out_.state = *size == read->size ? write_state::unchanged : write_state::dry;
        if (wanted_.dry || out_.state == write_state::unchanged) return finish(out_);
        if (read->etag.empty()) return fail_with(without_etag(), exchanged);
        http::request put{"PUT", url_};
        put.set("Content-Type", "application/json");
        put.set("If-Match", read->etag);
        put.body = secret_text(body_with(*read, *size));
        ask(std::move(put), once(), &writing::follow);
    }

    void follow(const auth::exchanged& exchanged) {
        if (exchanged.answer.arrived() && exchanged.answer.response.status == 412 && reads_ < max_reads) return read();
        if (exchanged.answer.arrived() && exchanged.answer.response.status == 409)
            return fail_with(conflict(exchanged), exchanged);
        if (refused(exchanged)) return;
        for (const std::string_view name : {"Azure-AsyncOperation", "Location"}) {
            if (const auto url = exchanged.answer.response.header(name); operation_.empty() && url) operation_ = *url;
        }
        if (operation_.empty()) operation_ = url_;  // the pool itself has the state of the operation
        look_later(exchanged);
    }

    error conflict(const auth::exchanged& exchanged) const {
        std::optional<error> said = auth::service_refusal(exchanged.answer, exchanged.sent->url, role);
        error out = said ? *std::move(said) : error(status::unavailable);
        out.status = status::unavailable;
        out.error_class = error_class::transient;
        out.retryable = true;
        if (out.retry_after_ms == 0) out.retry_after_ms = busy_ms;
        out.message = "another operation is in progress on this cluster; nothing was written; " + out.message;
        return out;
    }

    void look_later(const auth::exchanged& exchanged) {
        const std::int64_t pause_ms = std::min(
            http::wished_delay_ms(exchanged.answer.response, loop_->wall_ms()).value_or(poll_ms), max_pause_ms);
        out_.state = write_state::running;
        if (loop_->steady_ms() + pause_ms >= deadline_ms()) return finish_soon(out_);
        after(pause_ms, [self = self()] {
            self->ask({"GET", self->operation_}, auth::one_safe_repeat(), &writing::look);
        });
    }

    void look(const auth::exchanged& exchanged) {
        if (refused(exchanged)) return;
        const std::optional<progress> now = read_progress(exchanged.answer.response.body);
        if (!now) return fail_with(fail(error_class::protocol, "the operation's response has no status"), exchanged);
        if (now->ended_badly())
            return fail_with(
                fail(error_class::rejected, "the operation ended with status {}: {}", now->state, now->why), exchanged);
        if (!now->succeeded()) return look_later(exchanged);
        out_.state = write_state::succeeded;
        finish(out_);
    }

    const std::shared_ptr<http::loop> loop_;
    const auth::authenticator by_;
    const change wanted_;
    const std::string url_;
    std::string operation_;
    std::int32_t reads_ = 0;
    write_outcome out_;
};

void write_size(json_writer& out, std::string_view name, const pool_size& size) {
    out.key(name).begin_object().member("count", size.count);
    if (size.autoscaling) out.member("min", size.min).member("max", size.max);
    out.end_object();
}

}  // namespace

std::shared_ptr<http::exchange> write_pool(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator, change wanted,
                                           std::int64_t deadline_ms, callback<void(result<write_outcome>)> done) {
    auto out = std::make_shared<writing>(loop, authenticator, std::move(wanted), deadline_ms, std::move(done));
    out->read();
    return out;
}

std::string outcome_json(const change& wanted, const write_outcome& outcome) {
    static constexpr std::array<std::string_view, 4> states{"dry", "unchanged", "succeeded", "running"};
    json_writer out;
    out.begin_object().member("pool", wanted.pool).member("state", states[static_cast<std::size_t>(outcome.state)]);
    out.member("autoscaling", outcome.before.autoscaling);
    write_size(out, "before", outcome.before);
    write_size(out, "after", outcome.after);
    out.end_object();
    return out.take();
}

}  // namespace gputide::aks
