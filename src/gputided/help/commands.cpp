// gputided help: prints the help of a command, also as a man page.  gputided completion: prints a shell's completion script.
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"
#include "help/help.hpp"

#include <algorithm>
#include <iostream>

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

namespace {

struct help_options {
    const CLI::App* root = nullptr;
    std::vector<std::string> words;  // "replay", "compare"
    bool man = false;
};

struct completion_options {
    const CLI::App* root = nullptr;
    std::string shell;
    bool is_asked = false;           // by a script, for the words that fit; otherwise the script is printed
    std::vector<std::string> words;  // of the line that the script completes
};

int help(const help_options& options) {
    const std::string name = joined(options.words, " ");
    if (name.empty()) {
        std::cout << (options.man ? man_page(command_entries(*options.root))
                                  : help_text(*options.root, output_width()));
        return done;
    }
    for (const CLI::App* command : options.root->get_subcommands({})) {
        const command_entry entry = command_entry_of(*command);
        if (entry.name != name) continue;
        std::cout << (options.man ? man_page_of(entry) : help_text(*command, output_width()));
        return done;
    }
    throw usage_error("help: no command " + one_line(name) + "; gputided --help lists the commands");
}

void add_help_flags(CLI::App& app, help_options& options) {
    options.root = app.get_parent();
    app.add_option("COMMAND", options.words, "the command; without it: all commands")->type_name("COMMAND");
    add_options(app, "", {{"--man", &options.man, "print its man page, in the format of man(7)"}});
}

int completion(const completion_options& options) {
    if (!options.is_asked && !options.words.empty())
        throw usage_error("completion: " + one_line(options.words.front()) + " was not expected");
    std::cout << (options.words.empty() ? completion_script(options.shell)
                                        : completions(command_entries(*options.root), options.words));
    return done;
}

void add_completion_flags(CLI::App& app, completion_options& options) {
    options.root = app.get_parent();
    add_options(app, "", {option_row("SHELL", &options.shell, "the shell").one_of({"bash", "zsh", "fish"}).required()});
    app.add_flag("--words", options.is_asked)->group("");  // both are hidden in --help
    app.add_option("WORDS", options.words)->group("");
}

}  // namespace

void add_help(subcommands& commands) {
    commands.add("help", "Help of a command", "gputided help replay compare", &help, &add_help_flags);
}

void add_completion(subcommands& commands) {
    commands.add("completion", "Completion script of a shell",
                 "source <(gputided completion bash)\n"
                 "gputided completion zsh > ~/.zfunc/_gputided          # a folder of fpath\n"
                 "gputided completion fish > ~/.config/fish/completions/gputided.fish",
                 &completion, &add_completion_flags);
}

}  // namespace gputided
