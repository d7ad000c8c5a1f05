#include "common/text.hpp"
#include "help/help.hpp"

#include <algorithm>

namespace gputided {
namespace {

std::string default_of(const CLI::Option& option) {
    std::string out = option.get_default_str();
    if (option.get_expected_max() > 1 && out.size() > 1 && out.front() == '[') out = out.substr(1, out.size() - 2);
    return out;
}

std::string value_of(const CLI::Option& option) {
    return option.get_type_size_max() == 0
               ? std::string()
               : option.get_type_name();  // add_options() sets no description for validators
}

option_entry option_of(const CLI::Option& option) {
    option_entry out;
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
    out.value = value_of(option);
    if (out.value.find('|') != std::string::npos) out.choices = split(out.value, '|');
    out.help = option.get_description();
    if (const std::string text = default_of(option); !text.empty()) out.help += "; default: " + text;
    if (option.get_required()) out.help += "; required";
    out.group = option.get_group();
    out.takes_file = out.value == "FILE" || out.value == "DIR" || out.value == "CSV";
    out.is_repeatable = option.get_expected_max() > 1;
    return out;
}

}  // namespace

command_entry command_entry_of(const CLI::App& app) {
    command_entry out{app.get_name(), app.get_description(), app.get_footer(), {}};
    std::replace(out.name.begin(), out.name.end(), '-', ' ');  // replay compare, as typed
    for (const CLI::Option* option : app.get_options({})) {
        // An option without a group is hidden.
        if (!option->get_group().empty()) out.options.push_back(option_of(*option));
    }
    return out;
}

std::vector<command_entry> command_entries(const CLI::App& root) {
    std::vector<command_entry> out;
    for (const CLI::App* app : root.get_subcommands({})) out.push_back(command_entry_of(*app));
    return out;
}

std::vector<std::string> second_words(const std::vector<command_entry>& commands, const std::string& first) {
    std::vector<std::string> out;
    for (const command_entry& entry : commands) {
        const std::vector<std::string> words = split(entry.name, ' ');
        if (words.size() == 2 && words.front() == first) out.push_back(words.back());
    }
    return out;
}

}  // namespace gputided
