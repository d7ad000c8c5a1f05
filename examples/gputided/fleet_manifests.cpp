// The scalers as the files say: joining, changing, leaving.
#include "files.hpp"
#include "fleet.hpp"
#include "log.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gputided {
namespace {

constexpr std::int64_t spread_per_scaler_ms = 10;  // a hundred begin in a second
constexpr std::int64_t longest_spread_ms = 60'000;
constexpr std::int64_t slack_ms = 60'000;

constexpr char size_is_assumed[] =
    ": taken to have 1 replica at the start; give --observe CMD, or --current N, if that is not so";

std::int32_t spread_of(std::size_t scalers) {
    const auto wanted_ms = static_cast<std::int64_t>(scalers) * spread_per_scaler_ms;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted_ms, 1, longest_spread_ms));
}

gputide::runtime_options runtime_options_of(const run_options& with, std::int32_t spread_ms) {
    gputide::runtime_options out;
    out.flags(GPUTIDE_RUNTIME_EVERY_DECISION | GPUTIDE_RUNTIME_REPORTS | GPUTIDE_RUNTIME_OBSERVE_FIRST);
    return out.poll_timeout_ms(with.timeout_ms).start_spread_ms(spread_ms);
}

// The file, or the folder that it lies in, cannot be used now.
bool is_broken(const std::string& file, const manifest_set& in) {
    if (in.broken.count(file) > 0) return true;
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return false;
    return in.broken.count(file.substr(0, slash)) > 0 || in.broken.count(file.substr(0, slash + 1)) > 0;
}

}  // namespace

fleet::fleet(const run_options& with, const target& to, board& on, std::size_t expected)
    : with_(with),
      to_(to),
      board_(on),
      spread_ms_(spread_of(expected)),
      runtime_(runtime_options_of(with, spread_ms_)),
      jobs_(static_cast<std::size_t>(with.most_children)) {}

void fleet::apply(manifest_set& wanted, states& saved, bool again) {
    remove_others(wanted);
    for (const wanted_scaler& one : wanted.scalers) {
        try {
            open(one, wanted, saved, again);
        } catch (const gputide::failure& failed) {
            wanted.broken[one.file] = said(failed);
        } catch (const usage_error& failed) {
            if (!started_) throw;
            log_line(failed.what());
        }
    }
}

void fleet::remove_others(const manifest_set& wanted) {
    std::set<std::string> names;
    for (const wanted_scaler& one : wanted.scalers) names.insert(one.name);
    for (auto at = scalers_.begin(); at != scalers_.end();) {
        const hosted& one = at->second;
        if (names.count(one.name) > 0 || is_broken(one.file, wanted)) {
            ++at;
            continue;
        }
        runtime_.remove(at->first);
        log_line(one.name + ": no longer scaled; " + one.file + " holds it no more");
        board_.forget(one.name);
        ids_.erase(one.name);
        at = scalers_.erase(at);
        changed_ = true;
    }
}

void fleet::open(const wanted_scaler& one, const manifest_set& from, states& saved, bool again) {
    const auto known = ids_.find(one.name);
    scaler_text text = text_of(one, from, false);
    if (known != ids_.end() && !again && scalers_.at(known->second).fingerprint == text.fingerprint) return;
    const std::size_t fingerprint = text.fingerprint;
    std::string described;
    const auto with_text = [&](auto use) {
        gputide::options with = library_options(with_.common, text.files);
        with.scaler(one.name);
        described = gputide::policy::open(text.files.front().text, with).describe();
        use(text.files.front().text, with);
    };
    std::uint64_t id = known != ids_.end() ? known->second : 0;
    const auto take = [&](const std::string& manifest, const gputide::options& with) {
        if (known == ids_.end()) {
            id = runtime_.add(manifest, with);
        } else {
            runtime_.replace(id, manifest, with);
        }
    };
    try {
        with_text(take);
    } catch (const gputide::failure&) {
        text = text_of(one, from, true);  // what it refers to may stand beside another scaler
        with_text(take);
    }
    hosted& here = scalers_[id];
    here.file = one.file;
    here.fingerprint = fingerprint;
    if (known == ids_.end()) {
        here.name = one.name;
        enter(here, id, saved);
    }
    board_.describe(one.name, one.file, described);
}

void fleet::enter(hosted& fresh, std::uint64_t id, states& saved) {
    ids_[fresh.name] = id;
    fresh.size = {with_.current >= 0 ? with_.current : 1};
    fresh.patience_ms = steady_now_ms() + spread_ms_ + slack_ms;
    const auto found = saved.find(fresh.name);
    if (found == saved.end()) {
        if (!to_.read && with_.current < 0) log_line(fresh.name + size_is_assumed);
    } else {
        restore(fresh, id, found->second);
        saved.erase(found);
    }
    keep_state(id, fresh);
}

void fleet::restore(hosted& fresh, std::uint64_t id, const saved_scaler& from) {
    fresh.size = {from.replicas};
    fresh.under_way = from.under_way;
    try {
        runtime_.load(id, from.state);
    } catch (const gputide::failure& failed) {
        throw usage_error(with_.state + ": " + fresh.name + ": " + said(failed));
    }
}

}  // namespace gputided
