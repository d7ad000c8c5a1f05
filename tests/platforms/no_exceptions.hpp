// For protocol.cpp where the C++ library has no exceptions (wasi): included before it.  A misuse of the protocol, which no case makes,
// ends the program.
#pragma once

#define JSON_NOEXCEPTION 1
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <vector>

struct never_thrown {
    template <class T>
    operator const T&() const {
        std::abort();
    }
};

// clang-format would put a space behind `catch`, and the macro would have no parameter.
// clang-format off
#define try if constexpr (true)
#define catch(declaration) else if (declaration = never_thrown(); false)
#define throw std::abort(),
// clang-format on
