#include "run/commands.hpp"

#include "common/json.hpp"
#include "common/text.hpp"
#include "run/run.hpp"

#include <map>
#include <stdexcept>
#include <sys/eventfd.h>
#include <utility>

namespace gputided {

jobs::jobs(std::size_t threads) : max_threads_(threads), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_.is_open()) throw std::runtime_error("cannot make an eventfd");
}

void jobs::add(work job) {
    const std::lock_guard hold(lock_);
    if (ending_) return;
    waiting_.push_back(std::move(job));
    if (running_ + waiting_.size() > threads_.size() && threads_.size() < max_threads_) {
        threads_.emplace_back([this] { serve(); });
    }
    changed_.notify_one();
}

void jobs::serve() {
    std::unique_lock hold(lock_);
    for (;;) {
        changed_.wait(hold, [this] { return ending_ || !waiting_.empty(); });
        if (ending_) return;
        const work next = std::move(waiting_.front());
        waiting_.pop_front();
        ++running_;
        hold.unlock();
        step then = next();
        hold.lock();
        --running_;
        done_.push_back(std::move(then));
        ::eventfd_write(wake_fd(), 1);
    }
}

void jobs::finish_done() {
    eventfd_t count = 0;
    ::eventfd_read(wake_fd(), &count);
    std::deque<step> done;
    {
        const std::lock_guard hold(lock_);
        done.swap(done_);
    }
    for (const step& then : done) then();
}

void jobs::end() {
    {
        const std::lock_guard hold(lock_);
        ending_ = true;
        waiting_.clear();
        changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    finish_done();
}

std::size_t jobs::running() const {
    const std::lock_guard hold(lock_);
    return running_;
}

std::size_t jobs::waiting() const {
    const std::lock_guard hold(lock_);
    return waiting_.size();
}

namespace {

using variables = std::map<std::string, std::string>;

variables variables_of(const target_name& name) {
    const scaler_name scaler = split_name(name.scaler);
    return {{"GPUTIDE_NAMESPACE", scaler.space}, {"GPUTIDE_NAME", scaler.name}, {"GPUTIDE_TARGET", name.target}};
}

// Returns -1 if the member is missing, nothing if it is not a replica count.
std::optional<std::int32_t> optional_count(const json& object, const char* member) {
    return object.contains(member) ? replica_count(object.at(member)) : std::int32_t{-1};
}

// Reads "4" or {"spec":4,"status":4,"ready":3}.
std::optional<target_size> size_of(const std::string& output) {
    const json printed = json::parse(output, nullptr, false);
    if (const auto count = replica_count(printed)) return target_size{*count};
    if (!printed.is_object() || !printed.contains("spec")) return std::nullopt;
    const auto spec = replica_count(printed.at("spec"));
    const auto status = optional_count(printed, "status");
    const auto ready = optional_count(printed, "ready");
    if (!spec || !status || !ready) return std::nullopt;
    return target_size{*spec, *status, *ready};
}

size_read observe(const std::string& command, const target_name& name, const child_limits& limits) {
    const child_result ran = run_child(command, variables_of(name), "", limits);
    if (!ran.ok) return {std::nullopt, "--observe failed: " + ran.reason};
    const std::optional<target_size> size = size_of(ran.output);
    if (size) return {size, ""};
    // The message does not contain the output, which may be confidential.
    return {std::nullopt,
            "--observe: expected a replica count or {\"spec\":N,\"status\":N,\"ready\":N} on its standard output "
            "(status and ready are optional), got " +
                counted(static_cast<std::int64_t>(ran.output.size()), "byte") + " in another format"};
}

std::string execute(const std::string& command, const target_name& name, const gputide::decision& decision,
                    const std::string& report, const child_limits& limits) {
    variables environment = variables_of(name);
    environment["GPUTIDE_CURRENT"] = std::to_string(decision.current());
    environment["GPUTIDE_DESIRED"] = std::to_string(decision.desired());
    const child_result ran = run_child(command, environment, report + "\n", limits);
    if (ran.ok) return "";
    return "--exec failed for " + environment["GPUTIDE_CURRENT"] + " -> " + environment["GPUTIDE_DESIRED"] + ": " +
           ran.reason;
}

}  // namespace

target_access access_by_commands(const run_options& options, int stop_fd) {
    const child_limits limits{options.child_timeout_ms, stop_fd};
    target_access out;
    if (!options.observe.empty()) {
        out.read = [command = options.observe, limits](const target_name& name) {
            return observe(command, name, limits);
        };
    }
    if (!options.dry_run) {
        out.write = [command = options.exec, limits](const target_name& name, const gputide::decision& decision,
                                                     const std::string& report) {
            return execute(command, name, decision, report, limits);
        };
    }
    return out;
}

}  // namespace gputided
