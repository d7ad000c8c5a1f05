// gputide for C++17: RAII and exceptions over the C headers, header only.
//
// Each method is one C function: a failed status becomes gputide::failure, a gputide_text becomes std::string.  Threads and
// ownership are those of gputide.h.  A program that uses nothing of plan.h and kubernetes.h links libgputide; all others link
// libgputide-full.
//
//   gputide::scaler scaler = gputide::scaler::open(manifest);
//   gputide::decision next = scaler.tick(gputide::observation{}.at(now_ms).current(3), 5000);
//   if (next.wants_write()) { write(next.desired()); scaler.record(next, true, now_ms); }
#ifndef GPUTIDE_HPP
#define GPUTIDE_HPP

#include "gputide/kubernetes.h"
#include "gputide/plan.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide {

// Thrown by every failed call.  what() is the message with its place in front.
class failure : public std::runtime_error {
  public:
    explicit failure(const gputide_error& error)
        : std::runtime_error(error.where[0] != '\0' ? std::string(error.where) + ": " + error.message : error.message),
          error_(std::make_shared<gputide_error>(error)) {}

    gputide_status status() const { return error_->status; }
    gputide_action action() const { return error_->action; }
    bool retryable() const { return error_->retryable != 0; }
    const gputide_error& error() const { return *error_; }

  private:
    std::shared_ptr<const gputide_error> error_;  // shared: copying an exception must not throw
};

namespace detail {

// Returns a zeroed struct with struct_size set.
template <class T>
T sized() {
    T out{};
    out.struct_size = sizeof(T);
    return out;
}

// Returns a gputide_error for one call.  Only struct_size is set: zeroing the other 6 KB would be a large part of a short call.
inline gputide_error unfilled_error() {
    gputide_error out;
    out.struct_size = sizeof out;
    return out;
}

// Calls f(args..., &err) and throws the error.
template <class Function, class... Arguments>
void call(Function f, Arguments... arguments) {
    auto err = unfilled_error();
    if (f(arguments..., &err) != GPUTIDE_OK) throw failure(err);
}

// Frees a gputide_text.
class text {
  public:
    text() = default;
    text(const text&) = delete;
    text& operator=(const text&) = delete;
    ~text() { gputide_text_free(&value_); }
    gputide_text* out() { return &value_; }
    std::string str() const {
        return value_.data != nullptr ? std::string(value_.data, static_cast<std::size_t>(value_.size_bytes))
                                      : std::string();
    }

  private:
    gputide_text value_{nullptr, 0};
};

template <class T, void (*Free)(T*)>
struct deleter {
    void operator()(T* handle) const { Free(handle); }
};

template <class T, void (*Free)(T*)>
using handle = std::unique_ptr<T, deleter<T, Free>>;

inline std::int64_t size_of(std::string_view text) { return static_cast<std::int64_t>(text.size()); }

}  // namespace detail

inline std::string version() { return gputide_version(); }
inline std::int32_t abi_version() { return gputide_abi_version(); }
inline std::uint32_t features() { return gputide_features(); }
inline std::string build_info() { return gputide_build_info(); }

// Return the names of numbers.
inline std::string status_name(gputide_status status) { return gputide_status_name(status); }
inline std::string action_name(gputide_action action) { return gputide_action_name(action); }
inline std::string sample_state_name(gputide_sample_state state) { return gputide_sample_state_name(state); }
inline std::string limit_name(std::int32_t limit) { return gputide_limit_name(limit); }
inline std::string condition_name(std::int32_t condition) { return gputide_condition_name(condition); }
inline std::string reason_name(std::int32_t reason) { return gputide_reason_name(reason); }
inline std::string event_name(std::int32_t event) { return gputide_event_name(event); }
inline std::string event_kind_name(std::int32_t kind) { return gputide_event_kind_name(kind); }
inline std::string forecast_state_name(std::int32_t state) { return gputide_forecast_state_name(state); }
inline std::string floor_reason_name(std::int32_t reason) { return gputide_floor_reason_name(reason); }

// Set the process-wide hooks; NULL restores the defaults.
inline void set_allocator(const gputide_allocator* allocator) { detail::call(gputide_set_allocator, allocator); }
inline void set_log(const gputide_log_sink* sink) { detail::call(gputide_set_log, sink); }

// Converts a Kubernetes quantity to thousandths.
inline std::int64_t quantity(std::string_view text) {
    std::int64_t milli = 0;
    detail::call(gputide_quantity, text.data(), detail::size_of(text), &milli);
    return milli;
}

// Returns the claims of a JWT as JSON; verifies nothing.
inline std::string token_claims(std::string_view token) {
    detail::text json;
    detail::call(gputide_token_claims, token.data(), detail::size_of(token), json.out());
    return json.str();
}

// Options that own their texts.
class options {
  public:
    options& allow(std::uint32_t flags) { return flags_ |= flags, *this; }  // GPUTIDE_ALLOW_*, GPUTIDE_STRICT
    options& text_name(std::string name) { return text_name_ = std::move(name), *this; }
    options& scaler(std::string name) { return scaler_ = std::move(name), *this; }
    options& allowed_environment(std::string names) { return environment_ = std::move(names), *this; }
    options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
    options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }
    options& proxy(std::string url) { return proxy_ = std::move(url), *this; }
    options& user_agent(std::string text) { return user_agent_ = std::move(text), *this; }
    options& secrets_dir(std::string path) { return secrets_dir_ = std::move(path), *this; }
    options& allowed_token_hosts(std::string hosts) { return hosts_ = std::move(hosts), *this; }
    options& allowed_programs(std::string programs) { return programs_ = std::move(programs), *this; }
    options& kubeconfig(std::string path, std::string context = {}) {
        return kubeconfig_ = std::move(path), context_ = std::move(context), *this;
    }
    options& service_account_dir(std::string path) { return service_account_dir_ = std::move(path), *this; }
    options& file(std::string name, std::string text) {
        return files_.emplace_back(std::move(name), std::move(text)), *this;
    }

    // Calls f(const gputide_options*) with views of this object.
    template <class Function>
    auto apply(Function f) const {
        std::vector<gputide_file> files;
        for (const auto& [name, text] : files_) files.push_back({name.c_str(), text.data(), detail::size_of(text)});
        auto out = detail::sized<gputide_options>();
        out.flags = flags_;
        out.text_name = or_null(text_name_);
        out.scaler = or_null(scaler_);
        out.files = files.data();
        out.file_count = static_cast<std::uint32_t>(files.size());
        out.file_size = sizeof(gputide_file);
        out.allowed_environment = or_null(environment_);
        out.ca_file = or_null(ca_file_);
        out.ca_pem = or_null(ca_pem_);
        out.ca_pem_bytes = static_cast<std::int64_t>(ca_pem_.size());
        out.proxy = or_null(proxy_);
        out.user_agent = or_null(user_agent_);
        out.secrets_dir = or_null(secrets_dir_);
        out.allowed_token_hosts = or_null(hosts_);
        out.allowed_programs = or_null(programs_);
        out.kubeconfig = or_null(kubeconfig_);
        out.kube_context = or_null(context_);
        out.service_account_dir = or_null(service_account_dir_);
        return f(&out);
    }

  private:
    static const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

    std::uint32_t flags_ = 0;
    std::string text_name_, scaler_, environment_, hosts_, programs_, secrets_dir_;
    std::string ca_file_, ca_pem_, proxy_, user_agent_, kubeconfig_, context_, service_account_dir_;
    std::vector<std::pair<std::string, std::string>> files_;
};

// Ends a blocking call from another thread.
class cancel {
  public:
    cancel() {
        gputide_cancel* handle = nullptr;
        detail::call(gputide_cancel_new, &handle);
        handle_.reset(handle);
    }
    void fire() const { gputide_cancel_fire(handle_.get()); }
    const gputide_cancel* get() const { return handle_.get(); }

  private:
    detail::handle<gputide_cancel, gputide_cancel_free> handle_;
};

inline const gputide_cancel* get(const cancel* stop) { return stop != nullptr ? stop->get() : nullptr; }

// Reads every log line written after it was opened.
class log_reader {
  public:
    struct line {
        std::int32_t level = 0;  // GPUTIDE_LOG_*
        std::string text;
    };

    explicit log_reader(std::int32_t level) {
        gputide_log_reader* handle = nullptr;
        detail::call(gputide_log_open, level, &handle);
        handle_.reset(handle);
    }
    // Returns nothing if there was no line in time.  timeout_ms may be 0 and GPUTIDE_FOREVER.
    std::optional<line> next(std::int32_t timeout_ms, const cancel* stop = nullptr) {
        line out;
        detail::text text;
        auto err = detail::unfilled_error();
        const gputide_status status =
            gputide_log_next(handle_.get(), timeout_ms, gputide::get(stop), text.out(), &out.level, &err);
        if (status == GPUTIDE_E_NO_DATA) return std::nullopt;
        if (status != GPUTIDE_OK) throw failure(err);
        out.text = text.str();
        return out;
    }
    void close() { gputide_log_close(handle_.get()); }

  private:
    detail::handle<gputide_log_reader, gputide_log_free> handle_;
};

inline gputide_sample value_sample(double value, std::int64_t time_ms = 0) {
    auto out = detail::sized<gputide_sample>();
    out.state = GPUTIDE_SAMPLE_OK;
    out.value = value;
    out.time_ms = time_ms;
    return out;
}

// Returns a sample without a value. message: the reason, for reports; may be NULL; not copied: must live as long as the
// sample.
inline gputide_sample failed_sample(gputide_sample_state state, gputide_status status, const char* message = nullptr) {
    auto out = detail::sized<gputide_sample>();
    out.state = state;
    out.status = status;
    out.message = message;
    return out;
}

inline gputide_pod pod(const char* name, std::int32_t phase, std::int32_t ready) {
    gputide_pod out{};
    out.name = name;
    out.phase = phase;
    out.ready = ready;
    return out;
}

// The current facts of a target.
class observation {
  public:
    observation& at(std::int64_t now_ms) { return c_.now_ms = now_ms, *this; }
    observation& current(std::int32_t replicas) { return c_.current_replicas = replicas, *this; }
    observation& existing(std::int32_t replicas) {
        c_.status_replicas = replicas;
        c_.flags |= GPUTIDE_OBSERVED_STATUS;
        return *this;
    }
    observation& ready(std::int32_t replicas) {
        c_.ready_replicas = replicas;
        c_.flags |= GPUTIDE_OBSERVED_READY;
        return *this;
    }
    // why: for conditions; may be nullptr.  It is not copied and must live as long as the observation is used.
    observation& unreadable(const char* why = nullptr) {
        c_.flags |= GPUTIDE_SCALE_UNREADABLE;
        c_.message = why;
        return *this;
    }
    // States that the added pods are all pods of the target.  Without added pods, the target has no pods.
    observation& all_pods() { return c_.flags |= GPUTIDE_OBSERVED_PODS, *this; }
    observation& sample(const gputide_sample& sample) { return samples_.push_back(sample), *this; }

    // Adds a pod.  Returns the number by which pod samples refer to it.
    std::int32_t pod(const gputide_pod& pod) {
        pods_.push_back(pod);
        return static_cast<std::int32_t>(pods_.size());
    }
    observation& pod_sample(const gputide_pod_sample& sample) { return pod_samples_.push_back(sample), *this; }

    // Returns the C struct, valid while this object lives and is not changed.
    gputide_observation view() const {
        gputide_observation out = c_;
        out.samples = samples_.data();
        out.sample_count = static_cast<std::uint32_t>(samples_.size());
        out.sample_size = sizeof(gputide_sample);
        out.pods = pods_.data();
        out.pod_count = static_cast<std::uint32_t>(pods_.size());
        out.pod_size = sizeof(gputide_pod);
        out.pod_samples = pod_samples_.data();
        out.pod_sample_count = static_cast<std::uint32_t>(pod_samples_.size());
        out.pod_sample_size = sizeof(gputide_pod_sample);
        return out;
    }

  private:
    gputide_observation c_ = detail::sized<gputide_observation>();
    std::vector<gputide_sample> samples_;
    std::vector<gputide_pod> pods_;
    std::vector<gputide_pod_sample> pod_samples_;
};

struct decision {
    gputide_decision c = detail::sized<gputide_decision>();

    std::int32_t current() const { return c.current_replicas; }
    std::int32_t desired() const { return c.desired_replicas; }
    bool wants_write() const { return c.desired_replicas != c.current_replicas; }
    bool active() const { return (c.flags & GPUTIDE_DECIDED_ACTIVE) != 0; }
    bool error() const { return (c.flags & GPUTIDE_DECIDED_ERROR) != 0; }
    std::string limited_by() const { return gputide_limit_name(c.limited_by); }
};

inline std::string render(std::string_view report) {
    detail::text lines;
    detail::call(gputide_report_render, report.data(), detail::size_of(report), lines.out());
    return lines.str();
}

// Errors and warnings of a manifest; its errors are findings here, not exceptions.
struct check_result {
    bool failed = false;
    gputide_error error = detail::sized<gputide_error>();  // if failed
    std::string report;                                    // JSON
    std::string lines;                                     // as compiler messages
};

inline check_result check(std::string_view manifest, const gputide::options& options = {}) {
    return options.apply([&](const gputide_options* c) {
        check_result out;
        detail::text report, lines;
        const gputide_status status = gputide_manifest_check(manifest.data(), detail::size_of(manifest), c,
                                                             report.out(), lines.out(), &out.error);
        out.failed = status != GPUTIDE_OK;
        out.report = report.str();
        out.lines = lines.str();
        if (out.failed && out.report.empty()) throw failure(out.error);
        return out;
    });
}

class credential {
  public:
    static credential open(std::string_view text, const gputide::options& options = {}) {
        return options.apply([&](const gputide_options* c) {
            gputide_credential* handle = nullptr;
            detail::call(gputide_credential_open, text.data(), detail::size_of(text), c, &handle);
            return credential(handle);
        });
    }
    std::string token(const std::string& scope, std::int32_t timeout_ms, gputide_token_info* info = nullptr,
                      const cancel* stop = nullptr) const {
        detail::text out;
        detail::call(gputide_credential_token, handle_.get(), scope.c_str(), timeout_ms, get(stop), out.out(), info);
        return out.str();
    }
    // Drops a token that a resource answered with 401.
    void invalidate(const std::string& scope, std::string_view token) const {
        detail::call(gputide_credential_invalidate, handle_.get(), scope.c_str(), token.data(), detail::size_of(token));
    }
    // Changes a node pool of AKS, unless `change` (JSON) is dry; returns JSON with the sizes before and after.
    std::string write_agent_pool(std::string_view change, std::int32_t timeout_ms, const cancel* stop = nullptr) const {
        detail::text out;
        detail::call(gputide_agent_pool_write, handle_.get(), change.data(), detail::size_of(change), timeout_ms,
                     get(stop), out.out());
        return out.str();
    }

  private:
    explicit credential(gputide_credential* handle) : handle_(handle) {}
    detail::handle<gputide_credential, gputide_credential_free> handle_;
};

class source {
  public:
    static source open(std::string_view text, const gputide::options& options = {}) {
        return options.apply([&](const gputide_options* c) {
            gputide_source* handle = nullptr;
            detail::call(gputide_source_open, text.data(), detail::size_of(text), c, &handle);
            return source(handle);
        });
    }
    gputide_sample fetch(std::int64_t now_ms, std::int32_t timeout_ms, const cancel* stop = nullptr) {
        auto out = detail::sized<gputide_sample>();
        detail::call(gputide_source_fetch, handle_.get(), now_ms, timeout_ms, get(stop), &out);
        return out;
    }
    // Returns all series as JSON.
    std::string fetch_all(std::int64_t now_ms, std::int32_t timeout_ms, const cancel* stop = nullptr) {
        detail::text out;
        detail::call(gputide_source_fetch_all, handle_.get(), now_ms, timeout_ms, get(stop), out.out());
        return out.str();
    }
    std::string describe() const {
        detail::text out;
        detail::call(gputide_source_describe, handle_.get(), out.out());
        return out.str();
    }
    // For a host with its own HTTP client: return the request as JSON; one value of a response, or all its series as JSON.
    std::string request(std::int64_t now_ms) const {
        detail::text out;
        detail::call(gputide_source_request, handle_.get(), now_ms, out.out());
        return out.str();
    }
    gputide_sample parse(std::int32_t http_status, std::string_view body) const {
        auto out = detail::sized<gputide_sample>();
        detail::call(gputide_source_parse, handle_.get(), http_status, body.data(), detail::size_of(body), &out);
        return out;
    }
    std::string parse_all(std::int32_t http_status, std::string_view headers, std::string_view body) const {
        detail::text out;
        detail::call(gputide_source_parse_all, handle_.get(), http_status, headers.data(), detail::size_of(headers),
                     body.data(), detail::size_of(body), out.out());
        return out.str();
    }

  private:
    explicit source(gputide_source* handle) : handle_(handle) {}
    detail::handle<gputide_source, gputide_source_free> handle_;
};

class policy {
  public:
    static policy open(std::string_view text, const gputide::options& options = {}) {
        return options.apply([&](const gputide_options* c) {
            gputide_policy* handle = nullptr;
            detail::call(gputide_policy_open, text.data(), detail::size_of(text), c, &handle);
            return policy(handle);
        });
    }
    std::uint32_t metric_count() const { return gputide_policy_metric_count(handle_.get()); }
    std::string metric_name(std::int32_t metric) const {
        const char* name = gputide_policy_metric_name(handle_.get(), metric);
        return name != nullptr ? name : "";
    }
    std::string describe() const {
        detail::text out;
        detail::call(gputide_policy_describe, handle_.get(), out.out());
        return out.str();
    }
    const gputide_policy* get() const { return handle_.get(); }

  private:
    explicit policy(gputide_policy* handle) : handle_(handle) {}
    detail::handle<gputide_policy, gputide_policy_free> handle_;
};

class state {
  public:
    explicit state(const gputide::policy& policy, std::int64_t created_ms = 0) {
        gputide_state* handle = nullptr;
        detail::call(gputide_state_new, policy.get(), created_ms, &handle);
        handle_.reset(handle);
    }
    static state load(const gputide::policy& policy, std::string_view text, std::uint32_t flags = 0) {
        gputide_state* handle = nullptr;
        detail::call(gputide_state_load, policy.get(), text.data(), detail::size_of(text), flags, &handle);
        return state(handle);
    }
    std::string save(const gputide::policy& policy) const {
        detail::text out;
        detail::call(gputide_state_save, policy.get(), handle_.get(), out.out());
        return out.str();
    }
    std::string describe(const gputide::policy& policy) const {
        detail::text out;
        detail::call(gputide_state_describe, policy.get(), handle_.get(), out.out());
        return out.str();
    }
    gputide::decision decide(const gputide::policy& policy, const gputide::observation& observation,
                             std::string* report = nullptr) {
        gputide::decision out;
        detail::text json;
        const gputide_observation view = observation.view();
        detail::call(gputide_decide, policy.get(), handle_.get(), &view, &out.c,
                     report != nullptr ? json.out() : nullptr);
        if (report != nullptr) *report = json.str();
        return out;
    }
    // Decides from one value per metric, all read at now_ms.
    gputide::decision decide(const gputide::policy& policy, std::int64_t now_ms, std::int32_t current_replicas,
                             const std::vector<double>& values) {
        gputide::decision out;
        detail::call(gputide_decide_values, policy.get(), handle_.get(), now_ms, current_replicas, values.data(),
                     static_cast<std::uint32_t>(values.size()), &out.c);
        return out;
    }
    // why: the reason of a failed write, for conditions; may be nullptr.
    void record(const gputide::policy& policy, gputide::decision& decision, bool applied, std::int64_t now_ms,
                const char* why = nullptr) {
        decision.c.message = why;
        detail::call(gputide_state_record, policy.get(), handle_.get(), &decision.c, applied ? 1 : 0, now_ms);
    }

  private:
    explicit state(gputide_state* handle) : handle_(handle) {}
    detail::handle<gputide_state, gputide_state_free> handle_;
};

class scaler {
  public:
    static scaler open(std::string_view manifest, const gputide::options& options = {}) {
        return options.apply([&](const gputide_options* c) {
            gputide_scaler* handle = nullptr;
            detail::call(gputide_scaler_open, manifest.data(), detail::size_of(manifest), c, &handle);
            return scaler(handle);
        });
    }
    decision tick(const gputide::observation& observation, std::int32_t timeout_ms, std::string* report = nullptr,
                  const cancel* stop = nullptr) {
        decision out;
        detail::text json;
        const gputide_observation view = observation.view();
        detail::call(gputide_scaler_tick, handle_.get(), &view, timeout_ms, gputide::get(stop), &out.c,
                     report != nullptr ? json.out() : nullptr);
        if (report != nullptr) *report = json.str();
        return out;
    }
    void record(gputide::decision& decision, bool applied, std::int64_t now_ms, const char* why = nullptr) {
        decision.c.message = why;
        detail::call(gputide_scaler_record, handle_.get(), &decision.c, applied ? 1 : 0, now_ms);
    }
    gputide_scaler* get() { return handle_.get(); }
    // Returns JSON with policy, conditions and metrics.
    std::string describe() const { return text_of(gputide_scaler_describe); }
    std::string save() const { return text_of(gputide_scaler_save); }
    void load(std::string_view text) {
        detail::call(gputide_scaler_load, handle_.get(), text.data(), detail::size_of(text));
    }

  private:
    explicit scaler(gputide_scaler* handle) : handle_(handle) {}

    std::string text_of(gputide_status (*f)(const gputide_scaler*, gputide_text*, gputide_error*)) const {
        detail::text out;
        detail::call(f, static_cast<const gputide_scaler*>(handle_.get()), out.out());
        return out.str();
    }

    detail::handle<gputide_scaler, gputide_scaler_free> handle_;
};

class runtime_options {
  public:
    runtime_options& flags(std::uint32_t set) { return c_.flags |= set, *this; }  // GPUTIDE_RUNTIME_*
    runtime_options& seed(std::uint64_t value) { return c_.seed = value, *this; }
    runtime_options& poll_timeout_ms(std::int32_t value) { return c_.poll_timeout_ms = value, *this; }
    runtime_options& start_spread_ms(std::int32_t value) { return c_.start_spread_ms = value, *this; }
    runtime_options& share_window_ms(std::int32_t value) { return c_.share_window_ms = value, *this; }
    runtime_options& max_in_flight(std::int32_t value) { return c_.max_in_flight = value, *this; }
    runtime_options& max_per_endpoint(std::int32_t value) { return c_.max_per_endpoint = value, *this; }
    runtime_options& breaker(std::int32_t failures, std::int32_t base_ms, std::int32_t cap_ms) {
        c_.breaker_failures = failures;
        c_.breaker_base_ms = base_ms;
        c_.breaker_cap_ms = cap_ms;
        return *this;
    }
    runtime_options& gather_ms(std::int32_t value) { return c_.gather_ms = value, *this; }
    const gputide_runtime_options* get() const { return &c_; }

  private:
    gputide_runtime_options c_ = detail::sized<gputide_runtime_options>();
};

struct event {
    gputide_event c = detail::sized<gputide_event>();
    gputide::decision decision;
    std::string report;  // with GPUTIDE_RUNTIME_REPORTS, and of an attached cluster

    std::uint64_t id() const { return c.id; }
    std::uint64_t tag() const { return c.tag; }  // as given to add() or replace()
    std::string name() const { return c.name; }
    std::int64_t observed_ms() const { return c.observed_ms; }
    bool is_due() const { return c.kind == GPUTIDE_EVENT_DUE; }          // the poll waits for observe()
    bool is_cluster() const { return c.kind == GPUTIDE_EVENT_CLUSTER; }  // only the report is filled
    std::uint64_t sequence() const { return c.sequence; }
    std::uint32_t replaced() const { return c.replaced; }
};

// Many scalers.  Its functions may be called concurrently.
class runtime {
  public:
    explicit runtime(const runtime_options& options = {}) {
        gputide_runtime* handle = nullptr;
        detail::call(gputide_runtime_new, options.get(), &handle);
        handle_.reset(handle);
    }
    std::uint64_t add(std::string_view manifest, const gputide::options& options = {}, std::uint64_t tag = 0) {
        return options.apply([&](const gputide_options* c) {
            std::uint64_t id = 0;
            detail::call(gputide_runtime_add, get(), manifest.data(), detail::size_of(manifest), c, tag, &id);
            return id;
        });
    }
    // Keeps the old tag if none is given.
    void replace(std::uint64_t id, std::string_view manifest, const gputide::options& options = {},
                 std::optional<std::uint64_t> tag = std::nullopt) {
        options.apply([&](const gputide_options* c) {
            const std::uint64_t* given = tag ? &*tag : nullptr;
            detail::call(gputide_runtime_replace, get(), id, manifest.data(), detail::size_of(manifest), c, given);
        });
    }
    void remove(std::uint64_t id) { detail::call(gputide_runtime_remove, get(), id); }
    std::uint64_t find(const std::string& name) const {
        std::uint64_t id = 0;
        detail::call(gputide_runtime_find, get(), name.c_str(), &id);
        return id;
    }
    // Returns the id that follows after_id, 0: the first; nothing after the last one.
    std::optional<std::uint64_t> next_scaler(std::uint64_t after_id = 0) const {
        std::uint64_t id = 0;
        auto err = detail::unfilled_error();
        const gputide_status status = gputide_runtime_next_scaler(get(), after_id, &id, &err);
        if (status == GPUTIDE_E_NOT_FOUND) return std::nullopt;
        if (status != GPUTIDE_OK) throw failure(err);
        return id;
    }
    void observe(std::uint64_t id, const gputide::observation& observation) {
        const gputide_observation view = observation.view();
        detail::call(gputide_runtime_observe, get(), id, &view);
    }
    // samples: one per metric of the policy.
    void push(std::uint64_t id, const std::vector<gputide_sample>& samples) {
        detail::call(gputide_runtime_push, get(), id, samples.data(),
                     static_cast<std::uint32_t>(sizeof(gputide_sample)), static_cast<std::uint32_t>(samples.size()));
    }
    // Returns nothing if there was no event in time.
    std::optional<event> next_event(std::int32_t timeout_ms, const cancel* stop = nullptr) {
        event out;
        detail::text report;
        auto err = detail::unfilled_error();
        const gputide_status status = gputide_runtime_next_event(get(), timeout_ms, gputide::get(stop), &out.c,
                                                                 &out.decision.c, report.out(), &err);
        if (status == GPUTIDE_E_NO_DATA) return std::nullopt;
        if (status != GPUTIDE_OK) throw failure(err);
        out.report = report.str();
        return out;
    }
    void record(std::uint64_t id, gputide::decision& decision, bool applied, std::int64_t now_ms,
                const char* why = nullptr) {
        decision.c.message = why;
        detail::call(gputide_runtime_record, get(), id, &decision.c, applied ? 1 : 0, now_ms);
    }
    std::string save(std::uint64_t id) const { return text_of(gputide_runtime_save, id); }
    void load(std::uint64_t id, std::string_view text) {
        detail::call(gputide_runtime_load, get(), id, text.data(), detail::size_of(text));
    }
    std::string describe(std::uint64_t id) const { return text_of(gputide_runtime_describe, id); }
    std::string stats() const { return text_of(gputide_runtime_stats); }

    // Lets the runtime scale the workloads of a Kubernetes cluster.
    void attach_cluster(std::string_view settings = {}, const gputide::options& options = {}) {
        options.apply([&](const gputide_options* c) {
            detail::call(gputide_cluster_attach, get(), settings.data(), detail::size_of(settings), c);
        });
    }
    void detach_cluster(std::int32_t timeout_ms) { detail::call(gputide_cluster_detach, get(), timeout_ms); }
    std::string describe_cluster() const { return text_of(gputide_cluster_describe); }

    void close(std::int32_t timeout_ms) { detail::call(gputide_runtime_close, get(), timeout_ms); }
    void start() { detail::call(gputide_runtime_start, get()); }
    void stop(std::int32_t timeout_ms) { detail::call(gputide_runtime_stop, get(), timeout_ms); }
    std::int64_t step(std::int64_t now_ms) {
        std::int64_t next_ms = 0;
        detail::call(gputide_runtime_step, get(), now_ms, &next_ms);
        return next_ms;
    }
    int wake_fd() {
        std::int32_t fd = -1;
        detail::call(gputide_runtime_wake_fd, get(), &fd);
        return fd;
    }
    gputide_runtime* get() const { return handle_.get(); }

  private:
    template <class Function, class... Arguments>
    std::string text_of(Function f, Arguments... arguments) const {
        detail::text out;
        detail::call(f, get(), arguments..., out.out());
        return out.str();
    }

    detail::handle<gputide_runtime, gputide_runtime_free> handle_;
};

struct nodes_plan {
    gputide_nodes_summary summary{};
    std::string json;   // the whole plan with its reasons
    std::string state;  // for the next plan
};
// Plans nodes. state: nodes_plan::state of the last plan; "" for the first.
inline nodes_plan plan_nodes(std::string_view text, std::string_view state, std::int64_t now_ms) {
    nodes_plan out;
    detail::text json, next;
    out.summary.struct_size = sizeof out.summary;
    detail::call(gputide_nodes_plan, text.data(), detail::size_of(text), state.data(), detail::size_of(state), now_ms,
                 &out.summary, json.out(), next.out());
    out.json = json.str();
    out.state = next.str();
    return out;
}

// Lists a collection of a cluster's API server completely: "/api/v1/nodes"; input for plan_nodes.
inline std::string list_cluster(const std::string& path, std::int32_t timeout_ms, const options& options = {},
                                const cancel* stop = nullptr) {
    return options.apply([&](const gputide_options* c) {
        detail::text json;
        detail::call(gputide_cluster_list, path.c_str(), c, timeout_ms, get(stop), json.out());
        return json.str();
    });
}

// Hands a ScaledObject over from KEDA to gputide, or back; `change` and the returned progress are JSON (docs/json.md).
inline std::string hand_over(std::string_view change, std::int32_t timeout_ms, const options& options = {},
                             const cancel* stop = nullptr) {
    return options.apply([&](const gputide_options* c) {
        detail::text json;
        detail::call(gputide_cluster_handover, change.data(), detail::size_of(change), c, timeout_ms, get(stop),
                     json.out());
        return json.str();
    });
}

// Decides one poll of a ScaledJob; the observation and the decision are JSON (docs/jobs.md).
inline std::string decide_scaled_job(std::string_view manifest, std::string_view observation,
                                     const options& options = {}) {
    return options.apply([&](const gputide_options* c) {
        detail::text decision;
        detail::call(gputide_scaled_job_decide, manifest.data(), detail::size_of(manifest), c, observation.data(),
                     detail::size_of(observation), decision.out());
        return decision.str();
    });
}

// The tested triggers of a manifest, or rights on a cluster, with the fix of each failure.
struct diagnosis {
    std::string report;  // JSON
    std::string lines;   // for people, the conclusion first
};

// Tests the triggers of a manifest. observation: nullptr means the manifest's minimum, now.
inline diagnosis doctor(std::string_view manifest, const gputide::options& options,
                        const gputide::observation* observation, std::int32_t timeout_ms,
                        const cancel* stop = nullptr) {
    return options.apply([&](const gputide_options* c) {
        detail::text report, lines;
        gputide_observation view{};
        if (observation != nullptr) view = observation->view();
        detail::call(gputide_doctor, manifest.data(), detail::size_of(manifest), c,
                     observation != nullptr ? &view : nullptr, timeout_ms, get(stop), report.out(), lines.out());
        return diagnosis{report.str(), lines.str()};
    });
}

// Tests whether a runtime could work on a cluster; settings as for runtime::attach_cluster.
inline diagnosis doctor_cluster(std::string_view settings, const gputide::options& options, std::int32_t timeout_ms,
                                const cancel* stop = nullptr) {
    return options.apply([&](const gputide_options* c) {
        detail::text report, lines;
        detail::call(gputide_cluster_doctor, settings.data(), detail::size_of(settings), c, timeout_ms, get(stop),
                     report.out(), lines.out());
        return diagnosis{report.str(), lines.str()};
    });
}

// Recorded metrics.
class series {
  public:
    series() {
        gputide_series* handle = nullptr;
        detail::call(gputide_series_new, &handle);
        handle_.reset(handle);
    }
    // Throws std::invalid_argument if the vectors differ in length.
    void add(std::int32_t metric, const std::vector<std::int64_t>& times_ms, const std::vector<double>& values) {
        check_lengths(times_ms.size(), values.size());
        detail::call(gputide_series_add, handle_.get(), metric, times_ms.data(), values.data(),
                     std::uint64_t{times_ms.size()});
    }
    void add_replicas(const std::vector<std::int64_t>& times_ms, const std::vector<std::int32_t>& replicas) {
        check_lengths(times_ms.size(), replicas.size());
        detail::call(gputide_series_add_replicas, handle_.get(), times_ms.data(), replicas.data(),
                     std::uint64_t{times_ms.size()});
    }
    void read(std::int32_t metric, std::string_view text, const std::string& scaler = {}) {
        detail::call(gputide_series_read, handle_.get(), metric, text.data(), detail::size_of(text),
                     scaler.empty() ? nullptr : scaler.c_str());
    }
    void fetch(gputide::scaler& scaler, std::int32_t metric, std::int64_t start_ms, std::int64_t end_ms,
               std::int64_t step_ms, std::int32_t timeout_ms, const cancel* stop = nullptr) {
        detail::call(gputide_series_fetch, handle_.get(), scaler.get(), metric, start_ms, end_ms, step_ms, timeout_ms,
                     gputide::get(stop));
    }
    std::string write() {
        detail::text out;
        detail::call(gputide_series_write, handle_.get(), out.out());
        return out.str();
    }
    std::string describe() {
        detail::text out;
        detail::call(gputide_series_describe, handle_.get(), out.out());
        return out.str();
    }
    const gputide_series* get() const { return handle_.get(); }

  private:
    static void check_lengths(std::size_t times, std::size_t values) {
        if (times != values) throw std::invalid_argument("gputide::series: there must be as many times as values");
    }

    detail::handle<gputide_series, gputide_series_free> handle_;
};

// A manifest run over recorded metrics.
class replay {
  public:
    static replay open(std::string_view manifest, std::string_view settings, const gputide::options& options = {}) {
        return options.apply([&](const gputide_options* c) {
            gputide_replay* handle = nullptr;
            detail::call(gputide_replay_open, manifest.data(), detail::size_of(manifest), c, settings.data(),
                         detail::size_of(settings), &handle);
            return replay(handle);
        });
    }
    void run(const gputide::series& series, const cancel* stop = nullptr) {
        detail::call(gputide_replay_run, handle_.get(), series.get(), gputide::get(stop));
    }
    // Returns the last decision so far.
    decision record(std::int64_t time_ms, const std::vector<gputide_sample>& samples, std::int32_t replicas = -1) {
        decision out;
        detail::call(gputide_replay_record, handle_.get(), time_ms, samples.data(),
                     static_cast<std::uint32_t>(sizeof(gputide_sample)), static_cast<std::uint32_t>(samples.size()),
                     replicas, &out.c);
        return out;
    }
    std::string report() {
        detail::text out;
        detail::call(gputide_replay_report, handle_.get(), out.out());
        return out.str();
    }

  private:
    explicit replay(gputide_replay* handle) : handle_(handle) {}
    detail::handle<gputide_replay, gputide_replay_free> handle_;
};

// Forecasts the load one start-up time ahead, for a host with its own loop: each pass add, decide, floor, write, charge.
class forecast {
  public:
    static forecast open(std::string_view settings = {}) {
        gputide_forecast* handle = nullptr;
        detail::call(gputide_forecast_open, settings.data(), detail::size_of(settings), &handle);
        return forecast(handle);
    }
    // Adds a load; NaN if it could not be read.
    void add(std::int64_t now_ms, double load) { detail::call(gputide_forecast_add, handle_.get(), now_ms, load); }
    gputide_floor floor(double target, std::int32_t reactive_replicas, std::int32_t current_replicas,
                        std::int32_t max_replicas) const {
        auto out = detail::sized<gputide_floor>();
        detail::call(gputide_forecast_floor, handle_.get(), target, reactive_replicas, current_replicas, max_replicas,
                     &out);
        return out;
    }
    void charge(std::int32_t written_replicas, std::int32_t shadow_replicas) {
        detail::call(gputide_forecast_charge, handle_.get(), written_replicas, shadow_replicas);
    }
    std::string describe() const {
        detail::text out;
        detail::call(gputide_forecast_describe, handle_.get(), out.out());
        return out.str();
    }
    std::string save() const {
        detail::text out;
        detail::call(gputide_forecast_save, handle_.get(), out.out());
        return out.str();
    }
    void load(std::string_view text) {
        detail::call(gputide_forecast_load, handle_.get(), text.data(), detail::size_of(text));
    }

  private:
    explicit forecast(gputide_forecast* handle) : handle_(handle) {}
    detail::handle<gputide_forecast, gputide_forecast_free> handle_;
};

// Recommends a size for a GPU workload from samples of its GPUs.  Container number 0 is the container without a name.
class rightsize {
  public:
    explicit rightsize(std::string_view settings = {}, const gputide::options& options = {}) {
        options.apply([&](const gputide_options* c) {
            gputide_rightsize* handle = nullptr;
            detail::call(gputide_rightsize_open, settings.data(), detail::size_of(settings), c, &handle);
            handle_.reset(handle);
            return 0;
        });
    }
    std::string describe() const { return text_of(gputide_rightsize_describe); }
    std::uint32_t container(const std::string& name) {
        std::uint32_t number = 0;
        detail::call(gputide_rightsize_container, handle_.get(), name.c_str(), &number);
        return number;
    }
    // Returns the number of counted samples.
    std::uint32_t add(const std::vector<gputide_usage_sample>& samples) {
        std::uint32_t counted = 0;
        detail::call(gputide_rightsize_add, handle_.get(), samples.data(),
                     static_cast<std::uint32_t>(sizeof(gputide_usage_sample)),
                     static_cast<std::uint32_t>(samples.size()), &counted);
        return counted;
    }
    std::string recommend(std::int64_t now_ms, std::uint32_t container = 0) const {
        return text_of(gputide_rightsize_recommend, container, now_ms);
    }
    std::string fit(std::int64_t memory_bytes, double util_percent) const {
        return text_of(gputide_rightsize_fit, memory_bytes, util_percent);
    }
    std::string save(std::int64_t now_ms, std::uint32_t container = 0) const {
        return text_of(gputide_rightsize_save, container, now_ms);
    }
    void load(std::string_view text, std::uint32_t container = 0) {
        detail::call(gputide_rightsize_load, handle_.get(), container, text.data(), detail::size_of(text));
    }
    const gputide_rightsize* get() const { return handle_.get(); }

  private:
    template <class Function, class... Arguments>
    std::string text_of(Function f, Arguments... arguments) const {
        detail::text out;
        detail::call(f, handle_.get(), arguments..., out.out());
        return out.str();
    }

    detail::handle<gputide_rightsize, gputide_rightsize_free> handle_;
};

}  // namespace gputide

#endif  // GPUTIDE_HPP
