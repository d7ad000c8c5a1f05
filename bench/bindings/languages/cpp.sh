# shellcheck shell=bash
# C++, for run.sh: gputide.hpp, linked with the library.
measure_cpp() {
    "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -Werror -Iinclude -o "$folder/cpp" bench/bindings/decide.cpp "$library" \
        -Wl,-rpath,"$(dirname "$library")"
    in_turns "$folder/cpp"
    echo "decide, memory reused: C $c ns, C++ ${best[0]} ns"
    figure "C++ as a share of C" $((best[0] * 100 / c)) 150 %
}
