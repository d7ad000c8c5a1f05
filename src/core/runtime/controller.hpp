// The interface between a runtime and a controller.  A controller observes scalers and carries out their decisions instead of the
// host program.  The runtime does not depend on what the controller scales.
#pragma once

#include "base/function_ref.hpp"
#include "base/result.hpp"
#include "http/client.hpp"
#include "manifest/spec.hpp"
#include "pipeline/host.hpp"
#include "runtime/scaler.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gputide::runtime {

using scaler_id = std::uint64_t;  // never 0, never reused

// Carries out the decisions of one scaler.
class actor {
  public:
    actor() = default;
    actor(const actor&) = delete;
    actor& operator=(const actor&) = delete;
    virtual ~actor() = default;
    // Called after a decision, on the driving thread, inside the scaler host: it must not call the host.
    virtual void decided(scaler_id id, const scaler& decided) = 0;
};

// The scalers of a runtime.  Thread-safe.  Functions return not_found for an unknown id.
class scaler_host {
  public:
    scaler_host() = default;
    scaler_host(const scaler_host&) = delete;
    scaler_host& operator=(const scaler_host&) = delete;
    virtual ~scaler_host() = default;

    // Adds a scaler.  `acts` carries out its decisions; the host program gets no events for it.
    virtual result<scaler_id> add(const manifest::spec& spec, const pipeline::host_options& host,
                                  std::shared_ptr<actor> acts) = 0;
    // Replaces a scaler's manifest; the name must be the same.  State, observation and time of the next poll are kept, and the
    // tag if none is given.  A state that does not match the new manifest is reset.
    virtual result<void> replace(scaler_id id, const manifest::spec& spec, const pipeline::host_options& host,
                                 std::optional<std::uint64_t> tag) = 0;
    virtual result<void> remove(scaler_id id) = 0;
    // Polls a scaler that was just added or replaced at the next step, instead of the time that spreads the first polls.
    virtual result<void> poll_soon(scaler_id id) = 0;
    // Records an observation.  Returns invalid if the number of samples differs from the policy's metrics, or for a sample of a
    // metric that a source reads. messages: one per sample, or empty: the reasons for missing values.
    virtual result<void> observe(scaler_id id, const decide::observation& observation,
                                 std::span<const std::string_view> messages) = 0;
    // Records the result of the write that a decision requested.  applied: the size is now decision.desired_replicas.  why: error
    // of a failed write; "": unknown.  Returns state if no decision requested the write, or if it was recorded before.
    virtual result<void> record(scaler_id id, decide::decision& decision, bool applied, std::int64_t now_ms,
                                std::string_view why) = 0;
    // Takes over state from another process; see decide::inherit().
    virtual result<void> inherit(scaler_id id, const decide::inherited_state& inherited_state) = 0;

    // Returns services for other sources over the same connections, limits and breakers.
    virtual source::services services_for(const pipeline::host_options& host) const = 0;
    // Queues a note as an event for the host program. id 0: not about a scaler.
    virtual void queue_note(scaler_id id, std::string name, std::string json) = 0;
};

// Services for a controller, valid as long as the controller is driven.
struct controller_services {
    scaler_host& scalers;
    std::shared_ptr<http::client> client;
    source::services sources;
};

class controller {
  public:
    controller() = default;
    controller(const controller&) = delete;
    controller& operator=(const controller&) = delete;
    virtual ~controller() = default;

    // Thread-safe.
    virtual void start() = 0;
    // Stops acting, releases its leases, and removes its scalers; `done` runs once, on the loop.
    virtual void end(std::function<void()> done) = 0;
    virtual std::string describe() const = 0;  // JSON
};

using open_controller = function_ref<result<std::shared_ptr<controller>>(const controller_services& services)>;

}  // namespace gputide::runtime
