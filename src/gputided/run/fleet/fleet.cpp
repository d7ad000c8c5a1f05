// The members of the fleet: added, replaced and removed to match the files, polled when they are due, and written.
#include "run/fleet/fleet.hpp"

#include "common/text.hpp"
#include "run/problems/problems.hpp"

#include <algorithm>
#include <limits>
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

fleet::fleet(const run_options& options, board& board, run_output& output, std::size_t expected)
    : options_(options),
      board_(board),
      output_(output),
      lines_(options.log == "all", options.log_form == "compact", !options.dry_run),
      spread_ms_(spread_of(expected)),
      runtime_(runtime_options_of(options, spread_ms_)),
      commands_(static_cast<std::size_t>(options.max_children), options.child_timeout_ms) {}

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
    std::erase_if(scalers_, [&](const auto& entry) {
        const auto& [id, scaler] = entry;
        const std::string& name = scaler.name.scaler;
        if (names.count(name) > 0 || is_broken(scaler.file, wanted)) return false;
        runtime_.remove(id);
        log_line(name + ": no longer scaled; " + scaler.file + " does not contain it any more");
        output_.audit().add("configuration",
                            ordered_json::object({{"change", scaler.file + ": " + name + " is no longer scaled"}}));
        board_.forget(name);
        lines_.forget(name);
        ids_.erase(name);
        changed_ = true;
        return true;
    });
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
        if (!observes() && options_.current < 0) output_.gather(name, size_is_assumed);
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

// ---- Events of the runtime: a scaler is due and needs its size, or a decision was made.  Writes of a replica count begin when the
// state file contains them, are recorded when they end, and are completed after a crash.

namespace {

constexpr int max_events = 256;  // per turn

gputide::observation observation_of(const target_size& size, bool readable, std::int64_t now_ms) {
    gputide::observation out;
    out.at(now_ms).current(size.spec);
    if (size.status >= 0) out.existing(size.status);
    if (size.ready >= 0) out.ready(size.ready);
    if (!readable) out.unreadable();
    return out;
}

}  // namespace

void fleet::turn() {
    commands_.turn();
    for (int i = 0; i < max_events; ++i) {
        const std::optional<gputide::event> event = runtime_.next_event(0);
        if (!event) return;
        take(*event);
    }
}

bool fleet::attempt(const hosted& scaler, const std::function<void()>& call) {
    try {
        call();
        return true;
    } catch (const gputide::failure& failed) {
        board_.problems().set_single(scaler.name.scaler, code::no_decision, failure_text(failed));
        return false;
    }
}

void fleet::take(const gputide::event& event) {
    hosted* scaler = at(event.id());
    if (scaler == nullptr) return;
    const bool is_taken = attempt(*scaler, [&] {
        if (!event.is_due()) return decided(event.id(), *scaler, event);
        scaler->is_due = true;
        scaler->deadline_ms = 0;
        if (!scaler->is_busy) prepare(event.id(), *scaler);
    });
    if (!is_taken) board_.change(scaler->name.scaler, [](scaler_numbers& numbers) { ++numbers.tick_failures; });
}

// Prepares a poll: reads the size, and completes an interrupted write.
void fleet::prepare(std::uint64_t id, hosted& scaler) {
    if (observes()) return read_size(id, scaler);
    if (!scaler.under_way.empty() && !options_.dry_run) return finish_interrupted_write(id, scaler);
    give_size(id, scaler, true);
}

void fleet::read_size(std::uint64_t id, hosted& scaler) {
    scaler.is_busy = true;
    commands_.add({options_.observe, variables_of(scaler.name), "", [this, id](const command_result& ran) {
                       hosted* here = at(id);
                       if (here == nullptr) return;
                       const size_read read = observed_size(ran);
                       here->is_busy = false;
                       board_.problems().set_single(here->name.scaler, code::size_unknown, read.why);
                       if (read.size) here->size = *read.size;
                       if (read.size && !here->under_way.empty()) finish_interrupted_write(id, *here);
                       if (here->is_due) give_size(id, *here, read.size.has_value());
                   }});
}

void fleet::give_size(std::uint64_t id, hosted& scaler, bool readable) {
    scaler.is_due = false;
    scaler.asked_at_ms = steady_now_ms();
    scaler.deadline_ms = scaler.asked_at_ms + options_.timeout_ms + slack_ms;
    attempt(scaler, [&] { runtime_.observe(id, observation_of(scaler.size, readable, unix_now_ms())); });
}

void fleet::decided(std::uint64_t id, hosted& scaler, const gputide::event& event) {
    const std::int64_t wait_ms = std::max<std::int64_t>(0, event.decision.c.next_due_ms - unix_now_ms());
    scaler.deadline_ms = steady_now_ms() + wait_ms + slack_ms;
    count(id, scaler, event);
    if (const auto line = lines_.line_of(scaler.name.scaler, event)) output_.print(*line);
    if (event.decision.wants_write() && !options_.dry_run) {
        // The state is saved with this write before the write begins, so that a crash at any time is noticed.
        scaler.under_way = event.report;
        scaler.is_busy = true;
        writes_.push_back({id, event.decision, event.report});
    }
    keep_state(id, scaler);
}

void fleet::count(std::uint64_t id, hosted& scaler, const gputide::event& event) {
    const bool was_read = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
    const std::string described = was_read ? runtime_.describe(id) : std::string();
    const double took_s = static_cast<double>(steady_now_ms() - scaler.asked_at_ms) / 1000.0;
    problem_list& problems = board_.problems();
    problems.set_single(scaler.name.scaler, code::no_decision, "");
    if ((event.decision.c.flags & GPUTIDE_DECIDED_ACTIVE) != 0)
        problems.set_single(scaler.name.scaler, code::no_history, "");
    board_.take_decision(scaler.name.scaler, event, described, took_s);
    if (event.decision.wants_write() && options_.dry_run) {
        board_.add_change(scaler.name.scaler, event.decision, std::nullopt);
    }
}

void fleet::wait(std::vector<pollfd> ends, int max_ms) {
    ends.push_back({runtime_.wake_fd(), POLLIN, 0});
    commands_.add_descriptors(ends);
    ::poll(ends.data(), ends.size(), commands_.wait_ms(max_ms));
}

std::int64_t fleet::deadline_ms() const {
    std::int64_t out = std::numeric_limits<std::int64_t>::max();
    for (const auto& [id, scaler] : scalers_) {
        if (scaler.deadline_ms > 0) out = std::min(out, scaler.deadline_ms);
    }
    return out;
}

namespace {

// Returns the members of a write for the audit log.
ordered_json audited(const target_name& name, const gputide::decision& decision, const std::string& report,
                     const std::string& failure) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"namespace", scaler.space}, {"name", scaler.name},
            {"target", name.target},     {"from", decision.current()},
            {"to", decision.desired()},  {"written", failure.empty()},
            {"failure", failure},        {"why", last_sentence(json_elements(json_member(report, "trace")))},
            {"decision", decision.c.id}};
}

}  // namespace

void fleet::saved() {
    urgent_ = changed_ = false;
    for (const write& next : std::exchange(writes_, {})) begin_write(next);
}

void fleet::begin_write(const write& next) {
    const hosted* scaler = at(next.id);
    if (scaler == nullptr) return;
    const std::string from = std::to_string(next.decision.current()), to = std::to_string(next.decision.desired());
    command exec{options_.exec, variables_of(scaler->name), next.report + "\n", {}};
    exec.variables.insert({{"GPUTIDE_CURRENT", from}, {"GPUTIDE_DESIRED", to}});
    exec.then = [this, next, from, to, name = scaler->name](const command_result& ran) {
        const std::string why = ran.ok ? "" : "--exec failed for " + from + " -> " + to + ": " + ran.reason;
        output_.audit().add("write", audited(name, next.decision, next.report, why));
        hosted* here = at(next.id);
        if (here == nullptr) return;  // removed while the command was running
        board_.problems().set_single(here->name.scaler, code::write_failed, why);
        settle(next.id, *here, next.decision, ran.ok);
        if (ran.ok) here->size = {next.decision.desired(), -1, -1};
        idle_again(next.id, *here);
    };
    commands_.add(std::move(exec));
}

void fleet::settle(std::uint64_t id, hosted& scaler, gputide::decision decision, bool written) {
    const std::int64_t now_ms = unix_now_ms();
    output_.print(applied_line(scaler.name.scaler, decision.desired(), written, now_ms));
    attempt(scaler, [&] { runtime_.record(id, decision, written, now_ms); });
    scaler.under_way.clear();
    board_.change(scaler.name.scaler, [&](scaler_numbers& numbers) { add_write(numbers, decision, written); });
    board_.add_change(scaler.name.scaler, decision, written);
    keep_state(id, scaler);
    urgent_ = true;
}

void fleet::idle_again(std::uint64_t id, hosted& scaler) {
    scaler.is_busy = false;
    if (scaler.is_due) prepare(id, scaler);
}

// Completes a write that a crash interrupted.  If the size can be observed, it shows whether the write was done.  Otherwise the
// write is repeated, which is harmless because the count is absolute.
void fleet::finish_interrupted_write(std::uint64_t id, hosted& scaler) {
    const std::string report = scaler.under_way;
    const gputide::decision interrupted = reported_decision(report);
    const std::string change = std::to_string(interrupted.current()) + " -> " + std::to_string(interrupted.desired());
    const std::string news = scaler.name.scaler + ": the last run ended while it wrote " + change;
    if (observes()) {
        const bool happened = scaler.size.spec == interrupted.desired();
        log_line(news + (happened ? "; it was written" : "; it was not written"), log_level::warning);
        output_.audit().add("write", audited(scaler.name, interrupted, report,
                                             happened ? "" : "the last run ended before it was written"));
        return settle(id, scaler, interrupted, happened);
    }
    log_line(news + "; writing it again", log_level::warning);
    scaler.is_busy = true;
    begin_write({id, interrupted, report});
}

void fleet::keep_state(std::uint64_t id, hosted& scaler) {
    changed_ = true;
    if (!options_.state.empty()) attempt(scaler, [&] { scaler.state = runtime_.save(id); });
}

saved_scalers fleet::all_states() const {
    saved_scalers out;
    for (const auto& [id, scaler] : scalers_) {
        out[scaler.name.scaler] = {scaler.state, scaler.size.spec, scaler.under_way, scaler.file};
    }
    return out;
}

void fleet::stop(std::int32_t timeout_ms) {
    commands_.stop();
    try {
        runtime_.stop(timeout_ms);
    } catch (const gputide::failure& failed) {
        log_line(failure_text(failed), log_level::warning);
    }
    commands_.end();
}

}  // namespace gputided
