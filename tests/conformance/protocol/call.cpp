#include "protocol/call.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#ifndef GPUTIDE_PURE_ONLY
#include <dlfcn.h>
#endif

namespace conformance {

void opened_things::keep(const std::string& name, handle opened) {
    if (has(name)) throw std::invalid_argument("as: the name \"" + name + "\" is taken");
    handles_.emplace_back(name, std::move(opened));
}

const opened_things::handle* opened_things::find(const std::string& name) const {
    const auto found =
        std::find_if(handles_.begin(), handles_.end(), [&](const auto& entry) { return entry.first == name; });
    return found == handles_.end() ? nullptr : &found->second;
}

bool opened_things::has(const std::string& name) const {
    return find(name) != nullptr || decisions.find(name) != decisions.end();
}

void opened_things::close(std::string_view order) {
    if (order == "reverse") {
        while (!handles_.empty()) handles_.pop_back();
    } else if (order == "collect") {
        std::map<std::string, std::shared_ptr<void>> unordered;  // by name: whatever was opened first
        for (auto& [name, opened] : handles_) unordered.emplace(name, std::move(opened.pointer));
        handles_.clear();
    } else {
        for (auto& [name, opened] : handles_) opened.pointer.reset();
        handles_.clear();
    }
}

const json& call::object(const char* name) const {
    static const json nothing = json::object();
    return has(name) ? arguments_.at(name) : nothing;
}

std::string call::name(const char* role) const {
    if (!has(role) || !arguments_.at(role).is_string())
        throw std::invalid_argument(std::string(role) + ": expected a name");
    return arguments_.at(role).get<std::string>();
}

const gputide_options* call::options() {
    if (!has("options")) return nullptr;
    options_ = std::make_unique<owned_options>(arguments_.at("options"));
    return options_->get();
}

const gputide_policy* call::policy() {
    if (has("policy")) return handle<gputide_policy>("policy");
    const opened_things::handle* const found = opened_.find(opened_.policy_of_state.at(name("state")));
    return static_cast<const gputide_policy*>(found->pointer.get());
}

void call::put_text(const char* member, const gputide_text& text) {
    result[member] = json_text(std::string(text.data, static_cast<std::size_t>(text.size_bytes)));
}

void call::keep_decision(const gputide_decision& decision) {
    result["decision"] = decision_json(decision);
    if (has("as")) opened_.decisions[name("as")] = decision;
}

namespace {

// The file that the C functions of this process come from.
std::string library_path() {
#ifdef GPUTIDE_PURE_ONLY
    return "gputide_pure.cpp";
#else
    Dl_info info{};
    const auto* const address = reinterpret_cast<const void*>(&gputide_version);  // NOLINT: what dladdr takes
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
#endif
}

}  // namespace

executor::executor() {
    for (const auto& table : {
             library_calls(),
             plan_calls(),
#ifndef GPUTIDE_PURE_ONLY
             source_calls(),
             runtime_calls(),
#endif
         }) {
        for (const call_entry& entry : table) entries_.emplace(entry.name, entry);
    }
}

json executor::hello() const {
    json calls = json::array();
    for (const auto& [name, entry] : entries_) calls.push_back(name);
    return {{"protocol", 1},
            {"binding", "c"},
            {"version", gputide_version()},
            {"abi", gputide_abi_version()},
            {"library", library_path()},
            {"calls", std::move(calls)}};
}

json executor::result_of(const json& object, opened_things& opened) const {
    const auto found = entries_.find(object.at("call").get_ref<const std::string&>());
    if (found == entries_.end()) throw std::invalid_argument("an unknown call");
    call made(object, opened);
    for (const char* role : found->second.handles) {
        // An earlier call that failed has left its name empty; the case goes on without this one.
        if (object.contains(role) && !opened.has(made.name(role))) return {{"missing", made.name(role)}};
    }
    found->second.run(made);
    return std::move(made.result);
}

json executor::answer(const json& line) const {
    opened_things opened;
    json out = {{"case", line.at("case")}, {"results", json::array()}};
    for (const json& call : line.at("calls")) {
        try {
            out["results"].push_back(result_of(call, opened));
        } catch (const std::exception& problem) {
            out["fault"] =
                call.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200) + ": " + problem.what();
            break;
        }
    }
    opened.close(line.value("close", "reverse"));
    out["alive"] = opened.alive();
    return out;
}

}  // namespace conformance
