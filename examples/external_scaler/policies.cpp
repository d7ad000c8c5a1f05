#include "policies.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace external_scaler {
namespace {

constexpr std::int32_t look_each_ms = 500;

gputide::runtime_options every_decision() {
    gputide::runtime_options out;
    return out.flags(GPUTIDE_RUNTIME_EVERY_DECISION);
}

}  // namespace

std::string content_of(const std::string& file) {
    const std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    if (!in) throw std::runtime_error(file + " cannot be read");
    return out.str();
}

std::int64_t unix_now_ms() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

// The number of replicas is not given: what was wanted last counts as what is.
policies::policies(const std::vector<std::string>& files, const gputide::options& options, listener decided)
    : runtime_(every_decision()), decided_(std::move(decided)) {
    for (const std::string& file : files) {
        gputide::options named = options;
        const std::uint64_t id = runtime_.add(content_of(file), named.text_name(file));
        const auto described = nlohmann::json::parse(runtime_.describe(id));
        by_name_[described.at("namespace").get<std::string>() + "/" + described.at("name").get<std::string>()] = {};
        gputide::observation seen;
        runtime_.observe(id, seen.at(unix_now_ms()).current(1));
    }
    runtime_.start();
    listening_ = std::thread([this] { listen(); });
}

policies::~policies() {
    is_ending_ = true;
    listening_.join();
}

const standing* policies::find(const std::string& name, standing& copy) const {
    const std::lock_guard hold(lock_);
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return nullptr;
    copy = found->second;
    return &copy;
}

bool policies::is_ready() const {
    const std::lock_guard hold(lock_);
    return std::all_of(by_name_.begin(), by_name_.end(), [](const auto& entry) { return entry.second.is_decided; });
}

void policies::listen() {
    while (!is_ending_) {
        try {
            auto event = runtime_.next_event(look_each_ms);
            if (!event) continue;
            const gputide::decision& made = event->decision;
            const standing now{true, made.active(), made.error(), made.desired(), unix_now_ms()};
            if (made.wants_write()) runtime_.record(event->id(), event->decision, true, now.decided_ms);
            {
                const std::lock_guard hold(lock_);
                by_name_[event->name()] = now;
            }
            decided_(event->name(), now);
        } catch (const gputide::failure& failed) {
            std::cerr << "gputide_external_scaler: " << failed.what() << std::endl;
        }
    }
}

}  // namespace external_scaler
