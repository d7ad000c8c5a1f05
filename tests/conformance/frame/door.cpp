#include "frame/door.hpp"

#include "door/executor.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace conformance {
namespace {

// A handle may be closed before or after those that it was made from: each order gets its turn.
constexpr std::array<const char*, 3> close_orders{"forward", "reverse", "collect"};

[[noreturn]] void broken(const std::string& problem) { throw std::runtime_error("the door: " + problem); }

class own_door final : public door {
  public:
    own_door() { set_hello(library_.hello()); }

  private:
    json answer(const json& line) override { return library_.answer(line); }

    executor library_;
};

}  // namespace

void door::set_hello(json hello) {
    if (hello.value("door", 0) != 1) broken("expected a hello of protocol 1, got " + hello.dump());
    hello_ = std::move(hello);
}

json door::results(const json& calls) {
    for (const json& one : calls) {
        const json& known = hello_.at("calls");
        if (std::find(known.begin(), known.end(), one.at("call")) == known.end())
            broken("it does not know the call " + one.at("call").dump());
    }
    const json got =
        answer({{"case", case_name_}, {"calls", calls}, {"close", close_orders[lines_++ % close_orders.size()]}});
    if (got.contains("fault")) broken(got.at("fault").get<std::string>());
    if (got.value("case", "") != case_name_) broken("it answers another case: " + got.value("case", "none"));
    if (got.at("alive") != 0) broken(got.at("alive").dump() + " handles are alive after the case");
    const json& results = got.at("results");
    if (results.size() != calls.size())
        broken("expected " + std::to_string(calls.size()) + " results, got " + std::to_string(results.size()));
    return results;
}

json door::last_result(const json& calls) {
    const json all = results(calls);
    if (!all.back().contains("missing")) return all.back();
    const auto failed = std::find_if(all.begin(), all.end(), [](const json& one) { return one.contains("error"); });
    return failed != all.end() ? *failed : all.back();
}

std::unique_ptr<door> open_own_door() { return std::make_unique<own_door>(); }

}  // namespace conformance
