// How a subcommand joins the command line: its name, its flags, and the function that runs with what they were given.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gputided {

// Runs the chosen subcommand; its exit status.
using command = std::function<int()>;

inline constexpr std::int32_t most_int32 = std::numeric_limits<std::int32_t>::max();

class subcommands {
  public:
    // app and chosen live longer than this; parsing the command line fills chosen.
    subcommands(CLI::App& app, command& chosen) : app_(app), chosen_(chosen) {}

    // run(options) with options of type Options, which the flags that add_flags declares have filled.
    template <class Options>
    void add(const char* name, const char* about, const char* example, int (*run)(const Options&),
             void (*add_flags)(CLI::App&, Options&)) {
        CLI::App& subcommand = *app_.add_subcommand(name, about);
        auto options = std::make_shared<Options>();
        add_flags(subcommand, *options);
        subcommand.footer(std::string("Example:\n  ") + example);
        command& chosen = chosen_;
        subcommand.callback([&chosen, run, options] { chosen = [run, options] { return run(*options); }; });
    }

  private:
    CLI::App& app_;
    command& chosen_;
};

// A whole number from 0 on.
inline CLI::Option* add_count(CLI::App& app, const char* flag, std::int32_t& value, const char* about) {
    return app.add_option(flag, value, about)->check(CLI::Range(0, most_int32))->type_name("N");
}

// A number from 0 on; CLI11's own check names the largest double that there is.
inline CLI::Option* add_limit(CLI::App& app, const char* flag, double& value, const char* about) {
    const auto check = [](const std::string& text) {
        double number = -1;
        const bool fits = CLI::detail::lexical_cast(text, number) && number >= 0;
        return fits ? std::string() : "expected a number from 0 on, got " + text;
    };
    return app.add_option(flag, value, about)->check(CLI::Validator(check, ""))->type_name("N");
}

inline void add_milliseconds(CLI::App& app, const char* flag, std::int32_t& value, const char* about) {
    app.add_option(flag, value, about)->check(CLI::Range(1, most_int32))->type_name("MS")->capture_default_str();
}

// One of some words, each of which stands for a value.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const char* flag, Value& value, const std::map<std::string, Value>& words,
                        const char* about) {
    std::vector<std::string> known;
    known.reserve(words.size());
    for (const auto& [word, meant] : words) known.push_back(word);
    return app
        .add_option_function<std::string>(
            flag, [&value, words](const std::string& word) { value = words.at(word); }, about)
        ->check(CLI::IsMember(known));
}

}  // namespace gputided
