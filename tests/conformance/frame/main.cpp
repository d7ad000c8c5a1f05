// The runner's command line.

#include "frame/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conformance {

inline constexpr const char* usage =
    "usage: gputide_conformance [--only FIELD=VALUE[,VALUE]] [--except FIELD=VALUE[,VALUE]] [--compare DIR]\n"
    "                           [--through COMMAND] [--reached] FILE...\n"
    "  --only, --except  choose cases by a top-level field; may be repeated: a case must pass every one\n"
    "  --compare         note on stderr where DIR holds another version of a file; changes nothing else\n"
    "  --through         ask a program that speaks protocol 1 (docs/conformance.md), not this process's own library\n"
    "  --reached         leave out the cases that need a call which the program does not have\n";

// The error of a file or an option that cannot be used.  The text says which and why.
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
    std::optional<std::filesystem::path> compare;
    std::optional<std::string> through;
    std::vector<std::filesystem::path> files;
    bool only_reached = false;
};

options parse_options(const std::vector<std::string>& words);  // throws unusable

// Whether the case passes every filter.
bool is_selected(const nlohmann::json& test_case, const std::vector<filter>& filters);

namespace {

using json = nlohmann::json;

bool is_known(std::string_view option) {
    constexpr std::array<std::string_view, 4> all{"--only", "--except", "--compare", "--through"};
    return std::find(all.begin(), all.end(), option) != all.end();
}

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

bool has_value(const json& test_case, const filter& wanted) {
    const auto found = test_case.find(wanted.field);
    if (found == test_case.end()) return false;
    const std::string value = found->is_string() ? found->get<std::string>() : found->dump();
    for (const std::string& each : wanted.values) {
        if (each == value) return true;
    }
    return false;
}

}  // namespace

options parse_options(const std::vector<std::string>& words) {
    options out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.rfind("--", 0) != 0) {
            out.files.emplace_back(word);
            continue;
        }
        if (word == "--reached") {
            out.only_reached = true;
            continue;
        }
        if (!is_known(word)) throw unusable("unknown option " + word);
        if (++i == words.size()) throw unusable(word + " needs a value");
        if (word == "--compare") {
            out.compare = words[i];
        } else if (word == "--through") {
            out.through = words[i];
        } else {
            out.filters.push_back(parse_filter(word == "--only", words[i]));
        }
    }
    if (out.files.empty()) throw unusable("no file named");
    return out;
}

bool is_selected(const json& test_case, const std::vector<filter>& filters) {
    for (const filter& each : filters) {
        if (has_value(test_case, each) != each.keep) return false;
    }
    return true;
}

}  // namespace conformance

// Counts how many cases passed and failed, and for each file and kind how many of them went through the C API.

namespace conformance {

class tally {
  public:
    void count(const std::string& file, const std::string& kind, reach reached);
    void passed() { ++passed_; }
    void failed() { ++failed_; }
    void left_out() { ++left_out_; }
    bool all_passed() const { return failed_ == 0; }

    // "hpa-behavior.json timeline: 15 through the C API, 0 inside" for each file and kind, their sum, "N passed, M failed".
    std::string summary() const;

  private:
    struct counts {
        std::size_t at_c_api = 0;
        std::size_t in_part = 0;  // of those at the C API, the ones that were looked at inside too
        std::size_t inside = 0;
    };
    static std::string line(const std::string& name, const counts& entry);

    std::map<std::pair<std::string, std::string>, counts> kinds_;
    std::size_t passed_ = 0;
    std::size_t failed_ = 0;
    std::size_t left_out_ = 0;  // --reached
};

void tally::count(const std::string& file, const std::string& kind, reach reached) {
    counts& of_kind = kinds_[{file, kind}];
    ++(reached == reach::none ? of_kind.inside : of_kind.at_c_api);
    if (reached == reach::part) ++of_kind.in_part;
}

std::string tally::line(const std::string& name, const counts& counts) {
    std::string out = name + ": " + std::to_string(counts.at_c_api) + " through the C API";
    if (counts.in_part > 0) out += " (" + std::to_string(counts.in_part) + " of them in part)";
    return out + ", " + std::to_string(counts.inside) + " inside\n";
}

std::string tally::summary() const {
    std::string out;
    counts sum;
    for (const auto& [name, kind] : kinds_) {
        out += line(name.first + (name.second.empty() ? "" : " " + name.second), kind);
        sum.at_c_api += kind.at_c_api;
        sum.in_part += kind.in_part;
        sum.inside += kind.inside;
    }
    if (left_out_ > 0) out += "left out, as the program does not reach them: " + std::to_string(left_out_) + '\n';
    return out + line("all", sum) + std::to_string(passed_) + " passed, " + std::to_string(failed_) + " failed\n";
}

}  // namespace conformance

// gputide_conformance FILE...: runs every case of the files and prints those that fail, how many went through the C API, then
// "N passed, M failed".  A format goes by the file's name up to its first dot.  Exit 0: all passed; 1: a case failed; 2: a file, an
// option or the C API could not be used.  A case without a checker fails; none is skipped except
// by --only and --except, and by a build without what a file is about, which says so.

namespace conformance {
namespace {

namespace fs = std::filesystem;

std::string text_member(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string case_name(const json& test_case, std::string_view member, std::size_t index) {
    for (const char* field : {"name", "id"}) {
        if (std::string name = text_member(test_case, field); !name.empty()) return name;
    }
    return std::string(member) + "[" + std::to_string(index) + "]";
}

// One line per case, whatever the texts hold.
std::string on_one_line(const std::string& text) {
    std::string out;
    for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    return out;
}

// The result of one case, and how much of it was asked at the C API.
struct outcome {
    differences found;
    reach reached = reach::none;
};

reach reach_of(const checkers& how, const json& test_case) {
    if (how.at_c_api == nullptr) return reach::none;
    return how.reached == nullptr ? reach::whole : how.reached(test_case);
}

outcome check(const checkers& how, const json& test_case, const json& file, c_api& library) {
    outcome out{{}, reach_of(how, test_case)};
    if (out.reached != reach::none) out.found = how.at_c_api(test_case, file, library);
    if (out.reached == reach::whole) return out;
    if (how.inside == nullptr) {
        out.found.emplace_back("not supported yet");
        return out;
    }
    for (std::string& text : how.inside(test_case, file)) out.found.push_back(std::move(text));
    return out;
}

void report(tally& count, const std::string& name, const differences& found) {
    if (found.empty()) return count.passed();
    count.failed();
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

class runner {
  public:
    runner(options chosen, c_api& library) : chosen_(std::move(chosen)), library_(library) {}

    // Prints what fails and the summary; the exit status.
    int run();

  private:
    void run_file(const fs::path& path);
    void run_case(const std::string& file_name, const std::string& name, const checkers& how, const json& test_case,
                  const json& file);

    options chosen_;
    c_api& library_;
    tally count_;
};

void runner::run_case(const std::string& file_name, const std::string& name, const checkers& how, const json& test_case,
                      const json& file) {
    if (chosen_.only_reached && reach_of(how, test_case) == reach::none) return count_.left_out();
    outcome came;
    library_.begin_case(name);
    try {
        came = check(how, test_case, file, library_);
    } catch (const unknown_call& problem) {
        if (chosen_.only_reached) return count_.left_out();
        came.found = {problem.what()};
    } catch (const std::exception& problem) {
        came.found = {std::string("the check threw: ") + problem.what()};
    } catch (...) {
        came.found = {"the check threw something that is not a std::exception"};
    }
    count_.count(file_name, text_member(test_case, "kind"), came.reached);
    report(count_, name, came.found);
}

void runner::run_file(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::string format = name.substr(0, name.find('.'));
    const std::vector<std::string_view> members = case_members(format);
    if (members.empty()) throw unusable(path.string() + ": unknown format \"" + format + "\"");
    if (const std::string_view reason = reason_left_out(format); !reason.empty()) {
        std::cout << name << ": left out, " << reason << '\n';
        return;
    }
    const json file = parse(path, read_file(path));
    if (find_cases(file, "cases") == nullptr) throw unusable(path.string() + ": no array \"cases\"");

    std::size_t chosen_cases = 0;
    for (const std::string_view member : members) {
        const json* cases = find_cases(file, member);
        for (std::size_t i = 0; cases != nullptr && i < cases->size(); ++i) {
            const json& test_case = (*cases)[i];
            if (!is_selected(test_case, chosen_.filters)) continue;
            ++chosen_cases;
            run_case(name, case_name(test_case, member, i),
                     find_checkers(format, member, text_member(test_case, "kind")), test_case, file);
        }
    }
    if (chosen_cases == 0) throw unusable(path.string() + ": no case to run; do --only and --except leave any?");
}

void note_other_version(const fs::path& path, const fs::path& folder) {
    const fs::path other = folder / path.filename();
    if (!fs::exists(other) || read_file(path) == read_file(other)) return;
    std::cerr << "note: " << path.string() << " differs from " << other.string() << '\n';
}

int runner::run() {
    bool all_usable = true;
    for (const fs::path& path : chosen_.files) {
        try {
            if (chosen_.compare) note_other_version(path, *chosen_.compare);
            run_file(path);
        } catch (const unusable& problem) {
            std::cerr << "gputide_conformance: " << problem.what() << '\n';
            all_usable = false;
        }
    }
    if (const int status = library_.close(); status != 0) {
        std::cerr << "gputide_conformance: the C API's program ended with exit status " << status << '\n';
        all_usable = false;
    }
    std::cout << count_.summary() << std::flush;
    if (!all_usable) return 2;
    return count_.all_passed() ? 0 : 1;
}

int run(const options& chosen) {
    const std::unique_ptr<c_api> library = chosen.through ? open_program_c_api(*chosen.through) : open_linked_c_api();
    const json& hello = library->hello();
    std::cout << "binding: " << hello.value("binding", "") << ' ' << hello.value("version", "") << ", ABI "
              << hello.value("abi", 0) << ", " << hello.value("library", "") << '\n';
    return runner(chosen, *library).run();
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
    try {
        return conformance::run(conformance::parse_options(std::vector<std::string>(argv + 1, argv + argc)));
    } catch (const conformance::unusable& problem) {
        std::fprintf(stderr, "gputide_conformance: %s\n%s", problem.what(), conformance::usage);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "gputide_conformance: %s\n", problem.what());
    }
    return 2;
}
