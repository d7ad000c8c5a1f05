// Adds, replaces and removes scalers to match the files.
#include "common/log.hpp"
#include "common/text.hpp"
#include "run/fleet/fleet.hpp"

#include <algorithm>
#include <set>

namespace gputided {

namespace {

constexpr std::int64_t spread_per_scaler_ms = 10;  // a hundred polls per second
constexpr std::int64_t max_spread_ms = 60'000;

constexpr char size_is_assumed[] =
    "assumed to have 1 replica at the start; if this is wrong, give --observe CMD or --current N";

constexpr char no_history_text[] =
    "no history: the time of its last activity is unknown, so cooldownPeriod does not delay a first decision to scale "
    "to zero or idle";

std::int32_t spread_of(std::size_t scalers) {
    const auto wanted_ms = static_cast<std::int64_t>(scalers) * spread_per_scaler_ms;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted_ms, 1, max_spread_ms));
}

gputide::runtime_options runtime_options_of(const run_options& options, std::int32_t spread_ms) {
    gputide::runtime_options out;
    out.flags(GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS | GPUTIDE_RUNTIME_OBSERVE_FIRST);
    return out.poll_timeout_ms(options.timeout_ms).start_spread_ms(spread_ms);
}

// Reports whether KEDA's half may scale to zero or idle.
bool may_go_to_zero(const json& policy) {
    return policy.value("kind", "") == "ScaledObject" &&
           (policy.contains("idleReplicaCount") || policy.value("minReplicaCount", 0) == 0);
}

// Returns "Deployment/llama" from a policy's description.
std::string target_of(const json& policy) {
    const auto target = policy.value("target", json::object());
    const std::string name = target.value("name", "");
    return name.empty() ? "" : target.value("kind", "Deployment") + "/" + name;
}

}  // namespace

fleet::fleet(const run_options& options, const target_access& access, board& board, run_output& output,
             std::size_t expected)
    : options_(options),
      access_(access),
      board_(board),
      output_(output),
      lines_(options.log == "all", options.log_form == "compact", access.write != nullptr),
      spread_ms_(spread_of(expected)),
      runtime_(runtime_options_of(options, spread_ms_)),
      jobs_(static_cast<std::size_t>(options.max_children)) {}

void fleet::apply(manifest_set& wanted, saved_scalers& saved, bool again) {
    remove_others(wanted);
    const scaler_texts texts(wanted);
    for (const wanted_scaler& scaler : wanted.scalers) {
        try {
            open(scaler, texts, saved, again);
        } catch (const gputide::failure& failed) {
            wanted.broken[scaler.file] = failure_text(failed);
        } catch (const usage_error& failed) {
            if (!started_) throw;
            wanted.broken[scaler.file] = failed.what();
        }
    }
}

void fleet::remove_others(const manifest_set& wanted) {
    std::set<std::string> names;
    for (const wanted_scaler& scaler : wanted.scalers) names.insert(scaler.name);
    for (auto at = scalers_.begin(); at != scalers_.end();) {
        const hosted& scaler = at->second;
        const std::string& name = scaler.name.scaler;
        if (names.count(name) > 0 || is_broken(scaler.file, wanted)) {
            ++at;
            continue;
        }
        runtime_.remove(at->first);
        log_line(name + ": no longer scaled; " + scaler.file + " does not contain it any more");
        output_.audit().add("configuration",
                            ordered_json::object({{"change", scaler.file + ": " + name + " is no longer scaled"}}));
        board_.forget(name);
        lines_.forget(name);
        ids_.erase(name);
        at = scalers_.erase(at);
        changed_ = true;
    }
}

void fleet::open(const wanted_scaler& scaler, const scaler_texts& texts, saved_scalers& saved, bool again) {
    const auto known = ids_.find(scaler.name);
    const bool is_fresh = known == ids_.end();
    scaler_text text = texts.of(scaler, beside::plain_files);
    const std::size_t fingerprint = text.fingerprint;
    if (!is_fresh && !again && scalers_.at(known->second).fingerprint == fingerprint) return;
    std::uint64_t id = 0;
    try {
        id = open_text(scaler, text);
    } catch (const gputide::failure&) {
        // An object that it references may be in another scaler's file.
        id = open_text(scaler, texts.of(scaler, beside::other_scalers));
    }
    const std::string described = runtime_.describe(id);
    const json policy = json::parse(json_member(described, "policy"));
    hosted& here = scalers_[id];
    here.name = {scaler.name, target_of(policy)};
    here.file = scaler.file;
    here.fingerprint = fingerprint;
    const bool no_history = is_fresh && saved.count(scaler.name) == 0 && may_go_to_zero(policy);
    if (is_fresh) {
        try {
            enter(here, id, saved);
        } catch (const usage_error&) {  // its state does not fit: not added, so the next reading tries again
            runtime_.remove(id);
            ids_.erase(scaler.name);
            scalers_.erase(id);
            throw;
        }
    }
    board_.describe(scaler.name, scaler.file, described);
    if (!no_history) return;
    board_.problems().set_single(scaler.name, code::no_history, no_history_text,
                                 options_.state.empty() ? "" : options_.state + " stores its history from now on");
}

std::uint64_t fleet::open_text(const wanted_scaler& scaler, const scaler_text& text) {
    gputide::options options = library_options(options_.shared, text.files);
    options.scaler(scaler.name);
    const std::string& manifest = text.files.front().text;
    const auto known = ids_.find(scaler.name);
    if (known == ids_.end()) return runtime_.add(manifest, options);
    runtime_.replace(known->second, manifest, options);
    return known->second;
}

void fleet::enter(hosted& fresh, std::uint64_t id, saved_scalers& saved) {
    const std::string& name = fresh.name.scaler;
    ids_[name] = id;
    fresh.size = {options_.current >= 0 ? options_.current : 1};
    fresh.deadline_ms = steady_now_ms() + spread_ms_ + slack_ms;
    const auto found = saved.find(name);
    if (found == saved.end()) {
        if (!access_.read && options_.current < 0) output_.gather(name, size_is_assumed);
    } else {
        restore(fresh, id, found->second);
        saved.erase(found);
    }
    keep_state(id, fresh);
}

void fleet::restore(hosted& fresh, std::uint64_t id, const saved_scaler& saved) {
    fresh.size = {saved.replicas};
    fresh.under_way = saved.under_way;
    try {
        runtime_.load(id, saved.state);
    } catch (const gputide::failure& failed) {
        const std::string why = options_.state + ": " + fresh.name.scaler + ": " + failure_text(failed);
        // The manifest has a different number of triggers than before, which must not prevent the start.
        const bool has_other_metrics =
            failed.status() == GPUTIDE_E_STATE && failed.error().where == std::string("metrics");
        if (!has_other_metrics) throw usage_error(why);
        log_line(why + "; it starts with a new state", log_level::warning);
    }
}

owner_files fleet::owners() const {
    owner_files out;
    for (const auto& [id, scaler] : scalers_) out[scaler.name.scaler] = scaler.file;
    return out;
}

hosted* fleet::at(std::uint64_t id) {
    const auto found = scalers_.find(id);
    return found == scalers_.end() ? nullptr : &found->second;
}

}  // namespace gputided
