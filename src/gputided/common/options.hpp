// The command line: subcommands, their options, and the manifest files of -f.
#pragma once

#include "common/files.hpp"
#include "common/json.hpp"
#include "gputide/gputide.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace gputided {

// A manifest file of -f.
struct manifest_file {
    std::string name;
    std::string text;
};

// An option that was declared.
class declared_option {
  public:
    declared_option(CLI::App& app, CLI::Option& option) : app_(app), option_(option) {}

    declared_option& one_of(const std::vector<std::string>& values);  // the only accepted values
    declared_option& range(double from, double to = max_int32);
    // why_wrong: returns "" for an accepted value.
    declared_option& checked(std::function<std::string(const std::string&)> why_wrong) {
        return option_.check(CLI::Validator(std::move(why_wrong), "")), *this;
    }
    // `option` must be declared earlier.
    declared_option& only_with(const char* option) { return option_.needs(app_.get_option(option)), *this; }
    declared_option& required(bool is = true) { return option_.required(is), *this; }

    // Functions for lists: one value per use, and the separator of values.
    declared_option& single() { return option_.allow_extra_args(false), *this; }
    declared_option& split_by(char letter) { return option_.delimiter(letter), *this; }

  private:
    static constexpr double max_int32 = std::numeric_limits<std::int32_t>::max();

    CLI::App& app_;
    CLI::Option& option_;
};

// Declares options: add("--state FILE", options.state, "explanation") for each.
class option_list {
  public:
    // group: heading in --help; "" for the first group.  needed: an option that all of these need; "": none.
    explicit option_list(CLI::App& app, const char* group = "", const char* needed = "")
        : app_(app), group_(group), needed_(needed) {}

    void start_group(const char* group) { group_ = group; }

    // Declares an option that fills `value`; bool: a flag.  declared: its names, and after a blank the name of its value in --help,
    // which shows the value as the default, unless it is empty or below 0 ("not given").
    template <class Value>
    declared_option operator()(const std::string& declared, Value& value, const std::string& help) {
        const std::string names = declared.substr(0, declared.find(' '));
        if constexpr (std::is_same_v<Value, bool>) {
            return placed(declared, *app_.add_flag(names, value, help));
        } else {
            CLI::Option& out = *app_.add_option(names, value, help);
            if (has_default(value)) out.capture_default_str();
            return placed(declared, out);
        }
    }

  private:
    template <class Value>
    static bool has_default(const Value& value) {
        if constexpr (std::is_arithmetic_v<Value>) return value >= Value{0};
        if constexpr (std::is_same_v<Value, std::string> || std::is_same_v<Value, std::vector<std::string>>)
            return !value.empty();
        return false;
    }
    declared_option placed(const std::string& declared, CLI::Option& option) const;

    CLI::App& app_;
    const char* group_;
    const char* needed_;
};

// Options that several subcommands share: manifests, output, and permissions.
struct shared_options {
    std::vector<std::string> files;
    std::string output = "text";
    std::string scaler;
    std::string profile = "default";
    std::string ca_file;
    std::string secrets_dir;
    std::string kubeconfig;
    std::string context;
    std::string service_account_dir;
    std::vector<std::string> environment;  // names and prefixes of variables that manifests may read
    std::vector<std::string> token_hosts;
    std::vector<std::string> programs;             // programs that manifests may run
    std::vector<std::string> kubeconfig_programs;  // exec plugins that the kubeconfig may run
    bool plain_http = false;
    bool unverified_peers = false;
    bool custom_authority = false;
    bool azure_proxy = false;

    bool json() const { return output == "json"; }
};

void add_manifest_options(CLI::App& app, shared_options& options, bool required = true);  // -f, --scaler, --profile
void add_output_option(CLI::App& app, shared_options& options,
                       const std::vector<std::string>& forms = {"text", "json"});
void add_lookup_options(CLI::App& app, shared_options& options);  // --secrets-dir, --allow-env
void add_trust_options(CLI::App& app, shared_options& options);   // also the options for the network

// Declare options that several subcommands use.
void add_timeout(option_list& add, std::int32_t& value, const char* help);
void add_credential(option_list& add, std::string& value);

void add_log_level(CLI::App& app);  // --log-level, the last option of every subcommand

// Throws CLI::ValidationError unless exactly one of -f and --kubernetes is given.
void check_files_or_cluster(const shared_options& options, bool kubernetes);

// Returns the options of the library.  The first file is the main text.
gputide::options library_options(const shared_options& options, const std::vector<manifest_file>& files);

// Functions for the manifest files and their scalers.

// Returns the text that a flag gives directly or as "@FILE".
manifest_file text_or_file(const char* flag, const std::string& given);

// Returns the path of a file, or the *.yaml, *.yml and *.json files of a folder by name.  Throws usage_error for an unreadable
// folder.
std::vector<std::string> manifest_paths(const std::string& path);

// Returns the text of a file, or nothing to leave it out.  Throws usage_error for an unreadable file.
using file_reader = std::function<std::optional<std::string>(const std::string& path)>;
inline std::optional<std::string> read_whole(const std::string& path) { return read_text(path); }

struct manifests_read {
    std::vector<manifest_file> files;
    std::map<std::string, std::string> unreadable;  // by path: "so.yaml: cannot read: Permission denied"

    std::string reasons() const;  // one line per unreadable file
};

enum class empty_folders { refused, allowed };

// Reads every -f: a file, a folder, or - for standard input.  An unreadable file does not affect the others.  empty: whether a
// folder without manifests is an error.
manifests_read read_those_readable(const shared_options& options, const file_reader& reader = read_whole,
                                   empty_folders empty = empty_folders::refused);

// Reads every -f as above.  Throws usage_error with each path and the system's reason if a file named by -f is unreadable.  An
// unreadable file in a folder is logged and skipped.
std::vector<manifest_file> read_manifests(const shared_options& options, const file_reader& reader = read_whole);

// Returns the scalers that --scaler selects, as "namespace/name".  Throws gputide::failure if a manifest has an error,
// usage_error if no scaler is selected.
std::vector<std::string> scaler_names(const shared_options& options, const std::vector<manifest_file>& files);

// Reports whether --scaler selects this scaler; "" selects all.
bool is_chosen(const std::string& choice, const std::string& full_name);

// Opens a scaler of the manifests.  Sends no request.
gputide::scaler open_scaler(const std::string& name, const shared_options& options,
                            const std::vector<manifest_file>& files);

// Opens the credential that --credential describes.
gputide::credential open_credential(const std::string& given, const shared_options& options);

// Reports whether a document is a ScaledObject or a HorizontalPodAutoscaler.
bool is_scaler(const ordered_json& document);

// Returns "ml/llama" for a scaler, "Secret ml/tokens" for another object.
std::string object_name(const ordered_json& document);

// Returns "job.yaml:1: ScaledJob ml/batch cannot be run or examined with -f; ...".  job: of the report of
// gputide_manifest_check.
inline std::string scaled_job_text(const json& job) {
    return text_at(job, "file") + ":" + std::to_string(integer_at(job, "line")) + ": ScaledJob " + full_name_in(job) +
           " cannot be run or examined with -f; use gputided run --kubernetes for ScaledJobs";
}

// The part of a Kubernetes cluster that `run --kubernetes` and `doctor --kubernetes` work on.
struct cluster_options {
    bool kubernetes = false;  // otherwise the other members have no effect
    bool shadow = false;
    std::vector<std::string> namespaces;
    std::string lease = "gputide";  // NAME or NAMESPACE/NAME
    std::int32_t shards = 1;
    std::string hpa_version;  // "": as detected on the cluster
    std::string keda_version;
    std::string token_mode;  // "": KEDA's default
};

// Adds --kubernetes with this help, and the options that need it.  Returns their list for more of them.
option_list add_cluster_options(CLI::App& app, cluster_options& options, const char* help);

// Returns the settings for gputide_cluster_attach and gputide_cluster_doctor.  KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES is the process's.
ordered_json cluster_settings(const cluster_options& options);

// Runs the chosen subcommand and returns its exit status.
using chosen_command = std::function<int()>;

class subcommands {
  public:
    // root and chosen must outlive this object; parsing the command line fills chosen.
    subcommands(CLI::App& root, chosen_command& chosen) : root_(root), chosen_(chosen) {}

    // Adds a subcommand.  Returns the object that its options must fill; `run` is called with that object.
    template <class Options>
    Options& add(const char* name, const char* about, const char* example, int (*run)(const Options&)) {
        app_ = root_.add_subcommand(name, about);
        app_->footer(example);
        const auto options = std::make_shared<Options>();
        app_->callback([&chosen = chosen_, run, options] { chosen = [run, options] { return run(*options); }; });
        return *options;
    }

    CLI::App& app() const { return *app_; }  // of the last subcommand

  private:
    CLI::App& root_;
    chosen_command& chosen_;
    CLI::App* app_ = nullptr;
};

// Add the subcommands; each is defined in the file of its subcommand.
void add_run(subcommands& commands);
void add_eval(subcommands& commands);
void add_check(subcommands& commands);
void add_doctor(subcommands& commands);
void add_replay(subcommands& commands);
void add_compare(subcommands& commands);
void add_tune(subcommands& commands);
void add_nodes_plan(subcommands& commands);
void add_nodes_explain(subcommands& commands);
void add_rightsize(subcommands& commands);
void add_adopt(subcommands& commands);
void add_release(subcommands& commands);
void add_token(subcommands& commands);
void add_version(subcommands& commands);
void add_help(subcommands& commands);
void add_completion(subcommands& commands);

}  // namespace gputided
