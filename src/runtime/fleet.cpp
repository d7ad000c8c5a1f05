// Who belongs to the fleet: joining, leaving, being changed, being asked.  Polls are fleet_poll.cpp's, events
// fleet_events.cpp's.
#include "runtime/fleet.hpp"

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "runtime/describe.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::size_t most_scalers = std::size_t{1} << 31U;

}  // namespace

fleet::fleet(const fleet_options& with, std::shared_ptr<http::loop> on, source::services services, signals to)
    : with_(with),
      on_(std::move(on)),
      services_(std::move(services)),
      traffic_(std::make_shared<http::traffic>(
          on_, http::traffic_limits{with.most_in_flight,
                                    with.most_per_endpoint,
                                    {with.breaker_failures, with.breaker_base_ms, with.breaker_cap_ms}})),
      sharing_(std::make_shared<http::sharing>(traffic_, with.share_window_ms)),
      to_(std::move(to)) {}

fleet::~fleet() {
    for (const slot& one : slots_) {
        if (one.is && one.is->poll) one.is->poll->cancel();
    }
}

// The lower half is the slot's number from 1, the upper one how often the slot was used before.
fleet::reference fleet::reference_of(scaler_id which) {
    return {static_cast<std::uint32_t>(which) - 1, static_cast<std::uint32_t>(which >> 32U)};
}

scaler_id fleet::id_of(const reference& which) {
    return std::uint64_t{which.generation} << 32U | (std::uint64_t{which.index} + 1);
}

member* fleet::at(scaler_id which) const { return at(reference_of(which)); }

member* fleet::at(const reference& which) const {
    if (which.index >= slots_.size()) return nullptr;
    const slot& one = slots_[which.index];
    return one.generation == which.generation ? one.is.get() : nullptr;
}

fleet::names::const_iterator fleet::named(const std::string& name) const {
    const auto [from, to] = by_name_.equal_range(std::hash<std::string>()(name));
    const auto found = std::find_if(from, to, [&](const auto& one) { return slots_[one.second].is->name() == name; });
    return found == to ? by_name_.end() : found;
}

error fleet::unknown(scaler_id which) {
    return fail(status::invalid, "scaler " + std::to_string(which) +
                                     ": there is none of this number; it was removed, or "
                                     "the number is another runtime's");
}

result<std::unique_ptr<member>> fleet::make(const config::spec& from, const auth::host_permissions& permissions) const {
    const auto over = std::make_shared<line>(sharing_, traffic_);
    source::services services = services_;
    services.permissions = permissions;
    services.loop = over;
    result<described> what = runtime::describe(from, nullptr);
    if (!what) return std::move(what).failure();
    result<pipeline> made = runtime::open(*std::move(what), services);
    if (!made) return std::move(made).failure();
    return std::make_unique<member>(scaler(*std::move(made), on_, from.scaling.created_ms.value_or(decide::absent)),
                                    over);
}

void fleet::join(member& one) {
    // Who is polled more than twice in a window wants fresher answers than a window's.
    if (!with_.share || one.period_ms() < 2 * with_.share_window_ms) return;
    std::vector<std::shared_ptr<question>> asked;
    asked.reserve(one.of.sources().size());
    try {
        for (const auto& source : one.of.sources()) {
            if (source != nullptr) asked.push_back(questions_.join(source->query_key()));
        }
    } catch (...) {
        for (const auto& joined : asked) questions_.leave(joined);
        throw;
    }
    one.line->asks(std::move(asked));
}

void fleet::leave(member& one) {
    for (const auto& asked : one.line->asks()) questions_.leave(asked);
}

result<scaler_id> fleet::add(const config::spec& from, const auth::host_permissions& permissions) {
    result<std::unique_ptr<member>> made = make(from, permissions);
    if (!made) return std::move(made).failure();
    const std::string name = (*made)->name();
    std::unique_lock hold(lock_);
    if (named(name) != by_name_.end()) {
        return fail(status::invalid,
                    "scaler " + quoted(name) + " is there already; replace it, or give it another name");
    }
    if (slots_.size() >= most_scalers) return fail(status::limit, "too many scalers");
    if (free_.empty()) {
        free_.reserve(slots_.size() + 1);  // so that a slot can always be given back
        slots_.emplace_back();
        free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    const std::uint32_t index = free_.back();
    if (newcomers_.size() == newcomers_.capacity()) newcomers_.reserve(2 * newcomers_.size() + 1);
    const auto place = by_name_.emplace(std::hash<std::string>()(name), index);
    try {
        join(**made);
    } catch (...) {
        by_name_.erase(place);
        throw;
    }
    if (with_.observe_first) newcomers_.push_back({index, slots_[index].generation});
    free_.pop_back();
    slots_[index].is = *std::move(made);
    ++stats_.scalers;
    ++stats_.unobserved;
    const scaler_id out = id_of({index, slots_[index].generation});
    hold.unlock();
    if (with_.observe_first) to_.stirred();
    return out;
}

result<void> fleet::replace(scaler_id which, const config::spec& from, const auth::host_permissions& permissions) {
    result<std::unique_ptr<member>> made = make(from, permissions);
    if (!made) return std::move(made).failure();
    member& next = **made;
    std::unique_ptr<member> old;  // destroyed after the lock is gone
    {
        const std::lock_guard hold(lock_);
        member* before = at(which);
        if (before == nullptr) return unknown(which);
        if (before->name() != next.name()) {
            return fail(status::invalid, "scaler " + quoted(before->name()) + " cannot be replaced by " +
                                             quoted(next.name()) + ": remove the one and add the other");
        }
        result<decide::state> state =
            decide::load_state(next.of.policy(), decide::save_state(before->of.policy(), before->of.state()));
        if (state) next.of.set_state(*std::move(state));
        newcomers_.reserve(newcomers_.size() + 1);
        join(next);  // the last that may fail
        next.seen = std::move(before->seen);
        next.polls = before->polls;
        next.planned_ms = before->planned_ms;
        next.event_stamp = before->event_stamp;
        const reference place = reference_of(which);
        slot& here = slots_[place.index];
        if (before->polling || before->awaited) newcomers_.push_back(place);
        next.answered = before->answered;
        if (untell(*before) > 0) ++stats_.events_dropped;
        leave(*before);
        old = std::exchange(here.is, *std::move(made));
        if (old->polling) {
            if (old->poll) old->poll->cancel();
            ++here.stamp;
            --stats_.polls_in_flight;
        }
    }
    to_.stirred();
    return {};
}

result<void> fleet::remove(scaler_id which) {
    std::unique_ptr<member> gone;  // destroyed after the lock is gone
    const std::lock_guard hold(lock_);
    member* one = at(which);
    if (one == nullptr) return unknown(which);
    const reference place = reference_of(which);
    if (untell(*one) > 0) ++stats_.events_dropped;
    by_name_.erase(named(one->name()));
    slot& here = slots_[place.index];
    leave(*one);
    gone = std::move(here.is);
    ++here.generation;
    ++here.stamp;
    free_.push_back(place.index);
    --stats_.scalers;
    if (!gone->seen.any()) --stats_.unobserved;
    if (gone->polling) --stats_.polls_in_flight;
    if (gone->poll) gone->poll->cancel();
    return {};
}

result<scaler_id> fleet::find(const std::string& name) const {
    const std::lock_guard hold(lock_);
    const auto found = named(name);
    if (found == by_name_.end()) {
        return fail(status::invalid, "no scaler is named " + quoted(name) + "; expected \"namespace/name\"");
    }
    return id_of({found->second, slots_[found->second].generation});
}

result<void> fleet::observe(scaler_id which, const decide::observation& from) {
    runtime::seen next(from);
    {
        const std::lock_guard hold(lock_);
        member* one = at(which);
        if (one == nullptr) return unknown(which);
        const bool first = !one->seen.any();
        const reference place = reference_of(which);
        if (first && !with_.observe_first) newcomers_.push_back(place);
        if (one->awaited) {
            plan(place.index, 0);
            if (one->untold == 0 && !one->called) untell(*one);
            one->awaited = false;
            one->answered = true;
        }
        std::swap(one->seen, next);
        if (first) --stats_.unobserved;
        if (!first && !one->answered) return {};
    }
    to_.stirred();
    return {};
}

result<void> fleet::record(scaler_id which, decide::decision& made, bool applied, std::int64_t now_ms) {
    const std::lock_guard hold(lock_);
    member* one = at(which);
    if (one == nullptr) return unknown(which);
    if (result<void> ok = one->of.record(made, applied, now_ms); !ok) return ok;
    if (applied) one->seen.resized(made.desired_replicas, now_ms);
    return {};
}

result<std::string> fleet::save(scaler_id which) const {
    const std::lock_guard hold(lock_);
    const member* one = at(which);
    if (one == nullptr) return unknown(which);
    return decide::save_state(one->of.policy(), one->of.state());
}

result<void> fleet::load(scaler_id which, std::string_view text) {
    const std::lock_guard hold(lock_);
    member* one = at(which);
    if (one == nullptr) return unknown(which);
    result<decide::state> state = decide::load_state(one->of.policy(), text);
    if (!state) return std::move(state).failure();
    one->of.set_state(*std::move(state));
    return {};
}

result<std::string> fleet::describe(scaler_id which) const {
    const std::lock_guard hold(lock_);
    const member* one = at(which);
    if (one == nullptr) return unknown(which);
    const scaler& of = one->of;
    const decide::decision& last = of.last_decision();
    json_writer json;
    json.begin_object().member("name", of.policy().scaling.name).member("namespace", of.policy().scaling.name_space);
    json.member("polls", one->polls).member("polling", one->polling).member("observed", one->seen.any());
    if (one->seen.any())
        json.member("observed_ms", one->seen.time_ms()).member("current_replicas", one->seen.replicas());
    if (last.now_ms != 0) {
        json.key("decision").raw(decide::decision_json(of.policy(), last, nullptr, details_of(of, last)));
        json.key("metrics").raw(reads_json(of, now().wall_ms));
    }
    return json.end_object().take();
}

}  // namespace gputide::runtime
