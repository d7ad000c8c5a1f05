#include "run/output.hpp"

#include "common/text.hpp"
#include "run/run.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace gputided {
namespace {

// Returns a text that is equal for two decisions if the second one need not be printed.
std::string repetition_key(const gputide::decision& decision, std::int32_t wanted) {
    std::string out = std::to_string(wanted) + " " + std::to_string(decision.c.limited_by);
    for (const gputide_condition& condition : decision.c.conditions) out += " " + std::to_string(condition.truth);
    return out;
}

ordered_json metric_of(const ordered_json& step) {
    ordered_json out{{"metric", step.value("metric", "")}};
    if (step.contains("value")) out["value"] = step.at("value");
    if (const std::string state = step.value("state", "ok"); state != "ok") out["state"] = state;
    return out;
}

// Returns a report without reasons: time, name, counts, limit, event, and each metric's value or state, with "log":"compact".
std::string compact_line(const std::string& report) {
    const ordered_json whole = ordered_json::parse(report);
    ordered_json out = ordered_json::object();
    for (const char* member : {"time", "namespace", "name", "current_replicas", "desired_replicas", "proposed_replicas",
                               "limited_by", "source", "event", "error"}) {
        if (whole.contains(member)) out[member] = whole.at(member);
    }
    for (const ordered_json& step : whole.value("trace", ordered_json::array())) {
        if (step.value("step", "") == "metric") out["metrics"].push_back(metric_of(step));
    }
    out["log"] = "compact";
    return out.dump();
}

// Appends a member to an object: {...,"log":"changes"}.
std::string marked(std::string report, const char* log) {
    report.pop_back();
    return report + ",\"log\":\"" + log + "\"}";
}

constexpr std::int64_t gather_ms = 1'000;
constexpr std::size_t max_named = 3;  // maximum number of object names in one line

// Returns "ml/a, ml/b, ml/c and 81 more".
std::string names_of(const std::vector<std::string>& names) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), max_named));
    const std::string out = joined({names.begin(), end}, ", ");
    return names.size() <= max_named ? out : out + " and " + std::to_string(names.size() - max_named) + " more";
}

// Blocks the signals in this thread and returns a signalfd for them.
unique_descriptor block_signals(std::initializer_list<int> numbers) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int number : numbers) ::sigaddset(&set, number);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    unique_descriptor out(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!out.is_open()) throw std::runtime_error("cannot make a signalfd");
    return out;
}

}  // namespace

// Renames the files if the current one is full.  Returns the error if the current file keeps its name, otherwise "".  Each file
// moves only to the next free name, and the first error ends the renaming, so that repeated failures lose no file.
std::string audit_log::rotate() const {
    std::error_code failed;
    const std::uintmax_t size_bytes = std::filesystem::file_size(path_, failed);
    if (failed || size_bytes < max_bytes_) return "";
    const auto name_of = [this](int number) { return number == 0 ? path_ : path_ + "." + std::to_string(number); };
    int free = 1;
    while (free < kept_files && std::filesystem::exists(name_of(free), failed)) ++free;
    for (int number = free - 1; number >= 0; --number) {
        std::filesystem::rename(name_of(number), name_of(number + 1), failed);
        if (failed && failed != std::errc::no_such_file_or_directory)
            return name_of(number) + ": cannot be renamed to " + name_of(number + 1) + ": " + failed.message();
    }
    return "";
}

void audit_log::add(const char* kind, const ordered_json& members) {
    if (path_.empty()) return;
    ordered_json line{{"time", time_text(unix_now_ms())}, {"kind", kind}};
    line.update(members);
    const std::lock_guard hold(lock_);
    waiting_ += dumped(line) + "\n";
}

// Appends the waiting lines.  Opens the file each time, so that another program may rename it.  If the file cannot be renamed
// here, it grows.
void audit_log::flush() {
    const std::lock_guard hold(lock_);
    if (waiting_.empty()) return;
    const std::string lines = std::exchange(waiting_, "");
    try {
        const std::string kept_name = rotate();
        append_text(path_, (ends_inside_line(path_) ? "\n" : "") + lines);
        failure_ = kept_name.empty() ? "" : "--audit-log: " + kept_name;
    } catch (const usage_error& failed) {
        failure_ = std::string("--audit-log: lines were lost: ") + failed.what();
    }
}

std::string audit_log::failure() const {
    const std::lock_guard hold(lock_);
    return failure_;
}

run_output::run_output(const run_options& options)
    : data_(STDOUT_FILENO),
      log_(STDERR_FILENO),
      audit_(options.audit_log, static_cast<std::size_t>(options.audit_log_mib) << 20) {
    log_through(&log_);
}

run_output::~run_output() {
    flush_gathered(true);
    log_through(nullptr);
}

void run_output::gather(const std::string& object, const std::string& text, log_level level) {
    const std::lock_guard hold(lock_);
    const auto [place, is_first] = places_.emplace(text, gathered_.size());
    if (is_first) gathered_.push_back({text, level, {}});
    gathered_[place->second].objects.push_back(object);
}

void run_output::gather_line(const std::string& line, log_level level) {
    if (level == log_level::debug) return log_line(line, level);
    const std::size_t colon = line.find(": ");
    const std::string object = line.substr(0, colon == std::string::npos ? 0 : colon);
    const bool is_of_object = object.find('/') != std::string::npos && object.find(' ') == std::string::npos;
    is_of_object ? gather(object, line.substr(colon + 2), level) : gather("", line, level);
}

void run_output::flush_gathered(bool at_once) {
    std::vector<gathered> waiting;
    {
        const std::lock_guard hold(lock_);
        if (!at_once && steady_now_ms() - flushed_ms_ < gather_ms) return;
        flushed_ms_ = steady_now_ms();
        waiting.swap(gathered_);
        places_.clear();
    }
    for (const gathered& line : waiting) {
        const std::string names = names_of(line.objects);
        const bool is_named = names.empty() || line.text.find(names) != std::string::npos;
        const std::string count = line.objects.size() > 1 ? std::to_string(line.objects.size()) + " times: " : "";
        log_line(count + (is_named ? "" : names + ": ") + line.text, line.level);
    }
}

void run_output::stopped(ordered_json members) {
    log_line("stopped by a signal");
    audit_.add("stop", std::move(members));
    audit_.flush();
}

bool take_due(std::int64_t& last_ms, std::int64_t interval_ms) {
    const std::int64_t now_ms = steady_now_ms();
    if (now_ms - last_ms < interval_ms) return false;
    last_ms = now_ms;
    return true;
}

std::string applied_line(const std::string& full_name, std::int32_t replicas, bool applied, std::int64_t time_ms) {
    const scaler_name name = split_name(full_name);
    const ordered_json line{{"time", time_text(time_ms)},
                            {"namespace", name.space},
                            {"name", name.name},
                            {"write", {{"replicas", replicas}, {"applied", applied}}}};
    return line.dump();
}

std::optional<std::string> decision_lines::line_of(const std::string& scaler, const gputide::event& event) {
    if (!all_) {
        const bool is_due = event.decision.c.limited_by != GPUTIDE_LIMIT_NOT_DUE;
        const bool wants = event.decision.wants_write();
        line& last = last_[scaler];
        // Without `acts`, a wanted size stays wanted until the half that wants it (KEDA's executor or the HPA) decides again.
        const bool stays = !acts_ && !wants && last.half != 0 && (event.decision.c.flags & last.half) == 0;
        const std::int32_t wanted = stays ? last.wanted : event.decision.desired();
        const std::string content = repetition_key(event.decision, wanted);
        if (!(acts_ && wants) && (!is_due || content == last.content)) return std::nullopt;
        const std::uint32_t half =
            event.decision.c.source == GPUTIDE_SOURCE_EXECUTOR ? GPUTIDE_DECIDED_EXECUTOR : GPUTIDE_DECIDED_HPA;
        last = {content, wanted, wants ? half : stays ? last.half : 0};
    }
    if (compact_) return compact_line(event.report);
    return all_ ? event.report : marked(event.report, "changes");
}

signals::signals() : stop_(block_signals({SIGTERM, SIGINT})), reload_(block_signals({SIGHUP})) {
    block_signals({SIGUSR2});       // blocked and ignored
    std::signal(SIGPIPE, SIG_IGN);  // for a reader of stdout that has gone, or a closed client connection
}

bool signals::stopping() const {
    pollfd stop{stop_fd(), POLLIN, 0};
    return ::poll(&stop, 1, 0) > 0;
}

bool signals::take_reload() {
    signalfd_siginfo received{};
    return ::read(reload_fd(), &received, sizeof received) > 0;
}

}  // namespace gputided
