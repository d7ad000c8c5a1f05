// Any bytes as a formula: refused with a message, or compiled and evaluated within its bounds, the same way twice.
// The first byte chooses the profile, the next sixteen the triggers' values (NaN and infinities among them).
#include "decide/formula/formula.hpp"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using namespace gputide::decide;

void require(bool holds) {
    if (!holds) std::abort();
}

bool same(const formula_result& x, const formula_result& y) {
    const bool values = std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
    return x.failure.error == y.failure.error && x.failure.column == y.failure.column && x.nil == y.nil && values;
}

void evaluate(const formula& made, double a, double b) {
    const formula_variable values[] = {{a, false}, {b, false}};
    require(same(made.evaluate(values), made.evaluate(values)));
    const formula_variable absent[] = {{0, true}, {0, true}};
    const formula_result got = made.evaluate(absent);
    require(got.failure.error == formula_error::none || !formula_failure_text(got.failure).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head = 1 + 2 * sizeof(double);
    if (size < head) return 0;
    double numbers[2];
    std::memcpy(numbers, data + 1, sizeof numbers);
    const std::string_view text(reinterpret_cast<const char*>(data) + head, size - head);
    constexpr std::string_view names[] = {"a", "b"};
    const auto mode = (data[0] & 1) != 0 ? formula_mode::strict : formula_mode::standard;
    const auto made = formula::compile(text, names, mode);
    require(made.ok() || !made.failure().message.empty());
    if (made) evaluate(*made, numbers[0], numbers[1]);
    return 0;
}
