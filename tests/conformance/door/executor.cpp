#include "door/executor.hpp"

#include <dlfcn.h>
#include <stdexcept>
#include <utility>

namespace conformance {
namespace {

// The file that the C functions of this process come from.
std::string library_path() {
    Dl_info info{};
    const auto* const address = reinterpret_cast<const void*>(&gputide_version);  // NOLINT: what dladdr takes
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

executor::executor() {
    for (const auto& table :
         {library_calls(), credential_calls(), source_calls(), policy_calls(), scaler_calls(), runtime_calls(),
          replay_calls(), forecast_calls(), nodes_calls(), rightsize_calls(), jobs_calls()}) {
        for (const call_entry& one : table) entries_.emplace(one.name, one);
    }
}

json executor::hello() const {
    json calls = json::array();
    for (const auto& [name, entry] : entries_) calls.push_back(name);
    return {{"door", 1},
            {"binding", "c"},
            {"version", gputide_version()},
            {"abi", gputide_abi_version()},
            {"library", library_path()},
            {"calls", std::move(calls)}};
}

json executor::result_of(const json& one, opened_things& opened) const {
    const auto found = entries_.find(one.at("call").get_ref<const std::string&>());
    if (found == entries_.end()) throw std::invalid_argument("an unknown call");
    call made(one, opened);
    for (const char* role : found->second.handles) {
        // An earlier call that failed has left its name empty; the case goes on without this one.
        if (one.contains(role) && !opened.has(made.name(role))) return {{"missing", made.name(role)}};
    }
    found->second.run(made);
    return std::move(made.result);
}

json executor::answer(const json& line) const {
    opened_things opened;
    json out = {{"case", line.at("case")}, {"results", json::array()}};
    for (const json& one : line.at("calls")) {
        try {
            out["results"].push_back(result_of(one, opened));
        } catch (const std::exception& problem) {
            out["fault"] =
                one.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 200) + ": " + problem.what();
            break;
        }
    }
    opened.close(line.value("close", "reverse"));
    out["alive"] = opened.alive();
    return out;
}

}  // namespace conformance
