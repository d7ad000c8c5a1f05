// gputide_conformance FILE...: runs every case of the files and prints those that fail, then "N passed, M failed".
// A format goes by the file's name up to its first dot.  Exit 0: all passed; 1: a case failed; 2: a file or an option
// could not be used.  A case that nobody checks fails; none is skipped except by --only and --except.
#include "runner.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

namespace {

using conformance::json;
namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: gputide_conformance [--only FIELD=VALUE[,VALUE]] [--except FIELD=VALUE[,VALUE]] [--compare DIR] FILE...\n"
    "  --only, --except  choose cases by a top-level field; may be repeated: a case must pass every one\n"
    "  --compare         note on stderr where DIR holds another version of a file; changes nothing else\n";

// What cannot be used: a file, an option.  The text says which and why.
struct unusable : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct filter {
    bool keep = true;  // false: --except
    std::string field;
    std::vector<std::string> values;
};

struct options {
    std::vector<filter> filters;
    std::optional<fs::path> compare;
    std::vector<fs::path> files;
};

struct tally {
    std::size_t passed = 0;
    std::size_t failed = 0;
};

filter parse_filter(bool keep, const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos) {
        throw unusable("expected FIELD=VALUE[,VALUE], got \"" + text + "\"");
    }
    filter out{.keep = keep, .field = text.substr(0, sign)};
    for (std::size_t begin = sign + 1;;) {
        const std::size_t end = text.find(',', begin);
        out.values.push_back(text.substr(begin, end - begin));
        if (end == std::string::npos) return out;
        begin = end + 1;
    }
}

options parse_options(const std::vector<std::string>& words) {
    options out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word != "--only" && word != "--except" && word != "--compare") {
            if (word.rfind("--", 0) == 0) throw unusable("unknown option " + word);
            out.files.emplace_back(word);
            continue;
        }
        if (++i == words.size()) throw unusable(word + " needs a value");
        if (word == "--compare") {
            out.compare = words[i];
        } else {
            out.filters.push_back(parse_filter(word == "--only", words[i]));
        }
    }
    if (out.files.empty()) throw unusable("no file named");
    return out;
}

bool has_value(const json& one, const filter& wanted) {
    const auto found = one.find(wanted.field);
    if (found == one.end()) return false;
    const std::string value = found->is_string() ? found->get<std::string>() : found->dump();
    for (const std::string& each : wanted.values) {
        if (each == value) return true;
    }
    return false;
}

bool selected(const json& one, const std::vector<filter>& filters) {
    for (const filter& each : filters) {
        if (has_value(one, each) != each.keep) return false;
    }
    return true;
}

std::string text_member(const json& one, const char* name) {
    const auto found = one.find(name);
    return found != one.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string case_name(const json& one, std::string_view member, std::size_t index) {
    for (const char* field : {"name", "id"}) {
        if (std::string name = text_member(one, field); !name.empty()) return name;
    }
    return std::string(member) + "[" + std::to_string(index) + "]";
}

// One line per case, whatever the texts hold.
std::string on_one_line(const std::string& text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return out;
}

conformance::differences check(std::string_view format, std::string_view member, const json& one, const json& file) {
    const conformance::checker checker = conformance::find_checker(format, member, text_member(one, "kind"));
    if (checker == nullptr) {
        const std::string kind = text_member(one, "kind");
        return {"not supported yet (" + std::string(format) + (kind.empty() ? "" : ", kind " + kind) + ")"};
    }
    try {
        return checker(one, file);
    } catch (const std::exception& problem) {
        return {std::string("the check threw: ") + problem.what()};
    } catch (...) {
        return {"the check threw something that is no std::exception"};
    }
}

void report(tally& count, const std::string& name, const conformance::differences& found) {
    if (found.empty()) {
        ++count.passed;
        return;
    }
    ++count.failed;
    std::string line = name + ": ";
    for (std::size_t i = 0; i < found.size(); ++i) line += (i == 0 ? "" : "; ") + found[i];
    std::cout << on_one_line(line) << '\n';
}

std::string read_file(const fs::path& path) {
    std::ifstream in;
    if (!fs::is_directory(path)) in.open(path, std::ios::binary);  // a folder opens too, and fails at the first read
    if (!in.is_open()) throw unusable("cannot read " + path.string());
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

json parse(const fs::path& path, const std::string& text) {
    try {
        return json::parse(text);
    } catch (const json::exception& problem) {
        throw unusable(path.string() + ": not JSON: " + problem.what());
    }
}

// The array under "cases" or "jwt_assertions.vectors"; nullptr where the file has no such member.
const json* find_cases(const json& file, std::string_view member) {
    const json* at = &file;
    for (std::size_t begin = 0; begin <= member.size();) {
        const std::size_t end = std::min(member.find('.', begin), member.size());
        const std::string name(member.substr(begin, end - begin));
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
        begin = end + 1;
    }
    return at->is_array() ? at : nullptr;
}

void run_file(const fs::path& path, const options& chosen, tally& count) {
    const std::string name = path.filename().string();
    const std::string format = name.substr(0, name.find('.'));
    const std::vector<std::string_view> members = conformance::case_members(format);
    if (members.empty()) throw unusable(path.string() + ": unknown format \"" + format + "\"");
    const json file = parse(path, read_file(path));
    if (find_cases(file, "cases") == nullptr) throw unusable(path.string() + ": no array \"cases\"");

    std::size_t chosen_cases = 0;
    for (const std::string_view member : members) {
        const json* cases = find_cases(file, member);
        for (std::size_t i = 0; cases != nullptr && i < cases->size(); ++i) {
            const json& one = (*cases)[i];
            if (!selected(one, chosen.filters)) continue;
            ++chosen_cases;
            report(count, case_name(one, member, i), check(format, member, one, file));
        }
    }
    if (chosen_cases == 0) throw unusable(path.string() + ": no case to run; do --only and --except leave any?");
}

void note_other_version(const fs::path& path, const fs::path& folder) {
    const fs::path other = folder / path.filename();
    if (!fs::exists(other) || read_file(path) == read_file(other)) return;
    std::cerr << "note: " << path.string() << " differs from " << other.string() << '\n';
}

int run(const options& chosen) {
    tally count;
    bool all_usable = true;
    for (const fs::path& path : chosen.files) {
        try {
            if (chosen.compare) note_other_version(path, *chosen.compare);
            run_file(path, chosen, count);
        } catch (const unusable& problem) {
            std::cerr << "gputide_conformance: " << problem.what() << '\n';
            all_usable = false;
        }
    }
    std::cout << count.passed << " passed, " << count.failed << " failed" << std::endl;
    if (!all_usable) return 2;
    return count.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(parse_options(std::vector<std::string>(argv + 1, argv + argc)));
    } catch (const unusable& problem) {
        std::fprintf(stderr, "gputide_conformance: %s\n%s", problem.what(), usage);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "gputide_conformance: %s\n", problem.what());
    }
    return 2;
}
