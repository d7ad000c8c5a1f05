// Arbitrary bytes as a /metrics body in both grammars, as label matchers and as a regular expression: nothing may crash, hang
// or read past the end, and both ways of reading a body must agree.  Built for libFuzzer.
// The text up to the first NUL is the matchers (and the expression), the rest the body.
#include "formats/exposition/all.hpp"
#include "formats/exposition/selector.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace exposition = gputide::formats::exposition;
using gputide::fuzz::one_of;
using gputide::fuzz::require;

namespace {

exposition::label_names as_written(std::string_view label) { return {std::string(label)}; }

void read_body(std::string_view body, exposition::format as, const std::vector<exposition::matcher>& matchers) {
    const auto all = exposition::read_all(body, as);
    if (!all && all.failure().status == gputide::status::limit) return;
    require(all.ok() || !all.failure().fields.empty());

    exposition::selector by;
    if (all && !all->series.empty()) by.metrics.push_back(all->series.front().labels.front().second);
    by.matchers = matchers;
    std::size_t taken = 0;
    const auto selected = exposition::each_selected(body, as, by, [&](const exposition::line& one) {
        ++taken;
        require(exposition::unescaped(one.name) == by.metrics.front());
    });
    require(selected.ok() == all.ok() || selected.failure().status == gputide::status::limit);
    if (all) require(taken <= all->series.size() && (!matchers.empty() || all->series.empty() || taken > 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(bytes), size);
    const std::string_view head = input.substr(0, std::min(input.find('\0'), size));
    const std::string_view body = head.size() < size ? input.substr(head.size() + 1) : input;

    const auto matchers = exposition::parse_matchers(head, &as_written);
    require(matchers.ok() || !matchers.failure().message.empty());
    const auto expression = gputide::pattern::compile(head, gputide::pattern::dot::any_character);
    gputide::match_budget budget;
    if (expression) (void)expression->matches(body.substr(0, 256), budget);

    const std::vector<exposition::matcher> none;
    const auto format = one_of({exposition::format::text, exposition::format::openmetrics}, size);
    read_body(body, format, none);
    if (matchers) read_body(body, format, *matchers);
    return 0;
}
