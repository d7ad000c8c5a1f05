// The table behind functions.hpp, in the order of `function`.
#include "decide/formula/functions.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

namespace {

constexpr std::array<function_info, 23> table = {{
    {"abs", function::abs},
    {"ceil", function::ceil},
    {"floor", function::floor},
    {"round", function::round},
    {"int", function::to_int},
    {"float", function::to_float},
    {"min", function::min, 1, many},
    {"max", function::max, 1, many},
    {"mean", function::mean, 1, many},
    {"median", function::median, 1, many},
    {"first", function::first},
    {"last", function::last},
    {"len", function::len},
    {"sort", function::sort},
    {"all", function::all, 2, 2, true},
    {"any", function::any, 2, 2, true},
    {"none", function::none, 2, 2, true},
    {"one", function::one, 2, 2, true},
    {"filter", function::filter, 2, 2, true},
    {"map", function::map, 2, 2, true},
    {"count", function::count, 1, 2, true},
    {"sum", function::sum, 1, 2, true},
    {"reduce", function::reduce, 2, 3, true},
}};

static_assert(table.back().id == function::reduce && static_cast<std::size_t>(function::reduce) + 1 == table.size());

}  // namespace

const function_info* find_function(std::string_view name) {
    const auto* at =
        std::find_if(table.begin(), table.end(), [&](const function_info& one) { return one.name == name; });
    return at == table.end() ? nullptr : at;
}

const function_info& info_of(function id) { return table[static_cast<std::size_t>(id)]; }

std::vector<std::string_view> function_names() {
    std::vector<std::string_view> out;
    out.reserve(table.size());
    for (const function_info& one : table) out.push_back(one.name);
    return out;
}

}  // namespace gputide::decide
