// Small things that texts for people are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

inline std::string joined(const std::vector<std::string>& parts, const char* separator) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : separator) + part;
    return out;
}

// "a,,b" → "a", "", "b"; "" → "".
inline std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out(1);
    for (const char letter : text) {
        if (letter == separator) {
            out.emplace_back();
        } else {
            out.back() += letter;
        }
    }
    return out;
}

// 1 error, 2 errors.
inline std::string counted(std::int64_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

// One line that moves no cursor and turns no letters round: control characters (C0, DEL, C1) and line separators become blanks,
// marks of direction and of no width go.  As the library does with what it says itself.
std::string one_line(const std::string& text);

// What is not printable ASCII becomes "?".
inline std::string printable(std::string text) {
    for (char& letter : text) {
        if (letter < ' ' || letter > '~') letter = '?';
    }
    return text;
}

bool is_utf8(const std::string& text);

// "namespace/name", as the library and the state file name a scaler.
struct scaler_name {
    std::string space;
    std::string name;
};

inline scaler_name split_name(const std::string& full_name) {
    const std::size_t slash = full_name.find('/');
    if (slash == std::string::npos) return {"", full_name};
    return {full_name.substr(0, slash), full_name.substr(slash + 1)};
}

}  // namespace gputided
