// Membership of the fleet: adds, replaces, removes and finds scalers.
#include "base/text.hpp"
#include "decide/state/text.hpp"
#include "runtime/fleet/fleet.hpp"

#include <algorithm>
#include <utility>

namespace gputide::runtime {
namespace {

constexpr std::size_t max_scalers = std::size_t{1} << 31U;

error unknown_name(const std::string& name) {
    return fail(status::not_found, "no scaler has the name {}; expected \"namespace/name\"", in_quotes(name));
}

}  // namespace

source::services fleet::services_for(const pipeline::host_options& host) const {
    source::services out = services_;
    out.permissions = host.permissions;
    out.cluster = host.cluster;
    out.loop = std::make_shared<query_route>(traffic_);
    return out;
}

result<std::unique_ptr<hosted_scaler>> fleet::open(const manifest::spec& spec,
                                                   const pipeline::host_options& host) const {
    const source::services services = services_for(host);
    result<scaler> made = open_scaler(spec, services);
    if (!made) return made.take_failure();
    if (host.compared_versions)
        made->compare_with(manifest::versions_to_compare(spec.scaling.controller.versions, *host.compared_versions));
    return std::make_unique<hosted_scaler>(*std::move(made), std::static_pointer_cast<query_route>(services.loop));
}

fleet::names::const_iterator fleet::named(const std::string& name) const {
    const auto [first, last] = by_name_.equal_range(std::hash<std::string>()(name));
    const auto found =
        std::find_if(first, last, [&](const auto& entry) { return slots_[entry.second].hosted->name() == name; });
    return found == last ? by_name_.end() : found;
}

void fleet::join_queries(hosted_scaler& hosted) {
    // A scaler with a period below two windows needs newer responses than sharing provides.
    if (!options_.share || hosted.period_ms() < 2 * options_.share_window_ms) return;
    std::vector<std::shared_ptr<shared_query>> joined;
    joined.reserve(hosted.scaler.sources().size());
    try {
        for (const auto& source : hosted.scaler.sources()) {
            if (source != nullptr) joined.push_back(queries_.join(source->query_key()));
        }
    } catch (...) {
        for (const auto& query : joined) queries_.leave(query);
        throw;
    }
    hosted.route->set_queries(std::move(joined));
}

void fleet::leave_queries(hosted_scaler& hosted) {
    for (const auto& query : hosted.route->queries()) queries_.leave(query);
}

result<scaler_id> fleet::add(const manifest::spec& spec, const pipeline::host_options& host, std::uint64_t tag,
                             std::shared_ptr<actor> acts) {
    result<std::unique_ptr<hosted_scaler>> opened = open(spec, host);
    if (!opened) return opened.take_failure();
    (*opened)->tag = tag;
    (*opened)->acts = std::move(acts);
    const std::string name = (*opened)->name();
    std::unique_lock hold(lock_);
    if (named(name) != by_name_.end()) {
        return fail(status::invalid, "scaler {} already exists; replace it, or use another name", in_quotes(name));
    }
    if (slots_.size() >= max_scalers) return fail(status::limit, "too many scalers");
    if (free_.empty()) {
        free_.reserve(slots_.size() + 1);  // so that removing a scaler never allocates
        slots_.emplace_back();
        free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    const std::uint32_t index = free_.back();
    if (newcomers_.size() == newcomers_.capacity()) newcomers_.reserve(2 * newcomers_.size() + 1);
    const auto entry = by_name_.emplace(std::hash<std::string>()(name), index);
    try {
        join_queries(**opened);
    } catch (...) {
        by_name_.erase(entry);
        throw;
    }
    if (options_.observe_first) newcomers_.push_back({index, slots_[index].generation});
    free_.pop_back();
    slots_[index].hosted = *std::move(opened);
    ++stats_.scalers;
    ++stats_.unobserved;
    const scaler_id id = id_of({index, slots_[index].generation});
    hold.unlock();
    if (options_.observe_first) signals_.stirred();
    return id;
}

result<void> fleet::replace(scaler_id id, const manifest::spec& spec, const pipeline::host_options& host,
                            std::optional<std::uint64_t> tag) {
    result<std::unique_ptr<hosted_scaler>> opened = open(spec, host);
    if (!opened) return opened.take_failure();
    hosted_scaler& fresh = **opened;
    std::unique_ptr<hosted_scaler> gone;  // destroyed after the lock is released
    {
        const std::lock_guard hold(lock_);
        hosted_scaler* before = at(id);
        if (before == nullptr) return unknown_scaler(id);
        if (before->name() != fresh.name()) {
            return fail(status::invalid, "scaler {} cannot be replaced by {}: remove the first and add the second",
                        in_quotes(before->name()), in_quotes(fresh.name()));
        }
        result<decide::state> state = decide::load_state(
            fresh.scaler.policy(), decide::save_state(before->scaler.policy(), before->scaler.state()),
            decide::other_metrics::matched);
        if (state) fresh.scaler.set_state(*std::move(state));
        newcomers_.reserve(newcomers_.size() + 1);
        if (!before->streams.empty() && fresh.wants_streams()) {
            fresh.streams =
                open_streams(use_of(id), fresh, before->observation.pushed(), stats_.streams - before->streams.size());
            keep_known(fresh, *before);
        }
        join_queries(fresh);  // the last call that may fail
        stats_.streams += fresh.streams.size();
        drop_streams(*before);
        fresh.scaler.take_failures(before->scaler);
        static_cast<hosted_state&>(fresh) = std::move(static_cast<hosted_state&>(*before));
        if (tag) fresh.tag = *tag;
        const slot_use use = use_of(id);
        slot& here = slots_[use.index];
        const bool may_poll = options_.observe_first || fresh.observation.is_given();
        const bool is_due = may_poll && decide::is_due_for_spec(fresh.scaler.policy(), fresh.scaler.state());
        if (is_due) fresh.polls_soon = true;
        if (is_due || before->polling || before->awaits_observation) newcomers_.push_back(use);
        if (drop_event(*before) > 0) ++stats_.events_dropped;
        leave_queries(*before);
        gone = std::exchange(here.hosted, *std::move(opened));
        if (gone->polling) {
            if (gone->poll) gone->poll->cancel();
            ++here.stamp;
            --stats_.polls_in_flight;
        }
    }
    signals_.stirred();
    return {};
}

result<void> fleet::poll_soon(scaler_id id) {
    {
        const std::lock_guard hold(lock_);
        hosted_scaler* hosted = at(id);
        if (hosted == nullptr) return unknown_scaler(id);
        hosted->polls_soon = true;
        if (!options_.observe_first && !hosted->observation.is_given()) return {};  // its first observation places it
        if (!hosted->awaits_observation) newcomers_.push_back(use_of(id));
    }
    signals_.stirred();
    return {};
}

result<void> fleet::remove(scaler_id id) {
    std::unique_ptr<hosted_scaler> gone;  // destroyed after the lock is released
    const std::lock_guard hold(lock_);
    hosted_scaler* hosted = at(id);
    if (hosted == nullptr) return unknown_scaler(id);
    const slot_use use = use_of(id);
    if (drop_event(*hosted) > 0) ++stats_.events_dropped;
    by_name_.erase(named(hosted->name()));
    slot& here = slots_[use.index];
    leave_queries(*hosted);
    drop_streams(*hosted);
    gone = std::move(here.hosted);
    ++here.generation;
    ++here.stamp;
    free_.push_back(use.index);
    --stats_.scalers;
    if (!gone->observation.is_given()) --stats_.unobserved;
    if (gone->polling) --stats_.polls_in_flight;
    if (gone->poll) gone->poll->cancel();
    return {};
}

result<scaler_id> fleet::find(const std::string& name) const {
    const std::lock_guard hold(lock_);
    const auto found = named(name);
    if (found == by_name_.end()) return unknown_name(name);
    return id_of({found->second, slots_[found->second].generation});
}

// Iterates in the order of the slots, which are fixed for each scaler.
result<scaler_id> fleet::next_scaler(scaler_id id) const {
    const std::lock_guard hold(lock_);
    for (std::uint64_t index = id == 0 ? 0 : std::uint64_t{use_of(id).index} + 1; index < slots_.size(); ++index) {
        if (slots_[index].hosted) return id_of({static_cast<std::uint32_t>(index), slots_[index].generation});
    }
    return fail(status::not_found, "no further scaler");
}

}  // namespace gputide::runtime
