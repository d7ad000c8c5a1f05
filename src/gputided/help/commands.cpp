// gputided help: prints the help of a command, also as a man page.  gputided completion: prints a shell's completion script.
#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"
#include "help/help.hpp"

#include <algorithm>
#include <iostream>

namespace gputided {
namespace {

struct help_options {
    const CLI::App* root = nullptr;
    std::vector<std::string> words;  // "replay", "compare"
    bool man = false;
};

struct completion_options {
    const CLI::App* root = nullptr;
    std::string shell;
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
    std::cout << completion_script(command_entries(*options.root), options.shell);
    return done;
}

void add_completion_flags(CLI::App& app, completion_options& options) {
    options.root = app.get_parent();
    add_options(app, "", {option_row("SHELL", &options.shell, "the shell").one_of({"bash", "zsh", "fish"}).required()});
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
