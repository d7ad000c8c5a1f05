#include "common/manifests.hpp"

#include "common/log.hpp"
#include "common/options.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace gputided {

namespace {

bool is_manifest(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

// Tells whether an entry is read.  A dangling link causes an error when it is read; a hidden one is skipped, because some editors
// use it as a lock.
bool is_wanted(const std::filesystem::directory_entry& entry) {
    std::error_code failed;
    if (entry.is_regular_file(failed)) return true;
    return entry.is_symlink(failed) && !entry.exists(failed) && entry.path().filename().string().front() != '.';
}

// Returns a member's text; "" if the member is not a text.
std::string member_text(const ordered_json& object, const char* member) {
    const auto found = object.find(member);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

bool is_scaler(const ordered_json& document) {
    const std::string kind = member_text(document, "kind");
    return kind == "ScaledObject" || kind == "HorizontalPodAutoscaler";
}

std::string object_name(const ordered_json& document) {
    const auto metadata = document.find("metadata");
    const ordered_json named = metadata != document.end() && metadata->is_object() ? *metadata : ordered_json::object();
    const std::string space = member_text(named, "namespace");
    const std::string name = (space.empty() ? "default" : space) + "/" + member_text(named, "name");
    return is_scaler(document) ? name : member_text(document, "kind") + " " + name;
}

manifest_file text_or_file(const char* flag, const std::string& given) {
    if (given.rfind('@', 0) != 0) return {flag, given};
    return {given.substr(1), read_text(given.substr(1))};
}

std::vector<std::string> manifest_paths(const std::string& path) {
    std::error_code failed;
    if (!std::filesystem::is_directory(path, failed)) return {path};
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path, failed)) {
        if (is_manifest(entry.path()) && is_wanted(entry)) out.push_back(entry.path().string());
    }
    if (failed) throw usage_error(path + ": cannot read this folder: " + failed.message(), path);
    std::sort(out.begin(), out.end());
    return out;
}

std::string not_utf8_text(const std::string& path) {
    return printable(path) + ": the name of this file is not UTF-8; rename it";
}

std::string manifests_read::reasons() const {
    std::string out;
    for (const auto& [path, reason] : unreadable) out += (out.empty() ? "" : "\n") + reason;
    return out;
}

manifests_read read_those_readable(const shared_options& options, const file_reader& reader) {
    manifests_read out;
    const auto attempt = [&](const std::string& path, const auto& read) {
        try {
            read();
        } catch (const usage_error& failed) {
            out.unreadable[path] = failed.what();
        }
    };
    for (const std::string& given : options.files) {
        std::vector<std::string> paths;
        attempt(given, [&] {
            paths = manifest_paths(given);
            if (paths.empty()) throw usage_error(given + ": no *.yaml, *.yml or *.json file in this folder");
        });
        for (const std::string& path : paths) {
            attempt(path, [&] {
                if (!is_utf8(path)) throw usage_error(not_utf8_text(path));
                out.files.push_back({path, reader(path)});
            });
        }
    }
    return out;
}

std::vector<manifest_file> read_manifests(const shared_options& options, const file_reader& reader) {
    manifests_read found = read_those_readable(options, reader);
    const bool all_named_are_readable =
        std::ranges::none_of(options.files, [&](const auto& path) { return found.unreadable.count(path) > 0; });
    if (!all_named_are_readable || found.files.empty())
        throw usage_error(found.reasons(), found.unreadable.begin()->first);
    for (const auto& [path, reason] : found.unreadable) log_line(reason + "; left out", log_level::warning);
    return std::move(found.files);
}

bool is_chosen(const std::string& choice, const std::string& full_name) {
    return choice.empty() || choice == full_name || choice == split_name(full_name).name;
}

std::vector<std::string> scaler_names(const shared_options& options, const std::vector<manifest_file>& files) {
    const gputide::check_result checked = gputide::check(files.front().text, library_options(options, files));
    if (checked.failed) throw manifest_failure(checked.error, checked.report);
    const json report = json::parse(checked.report);
    std::vector<std::string> all;
    std::vector<std::string> chosen;
    for (const auto& scaler : report.at("scalers")) {
        all.push_back(full_name_in(scaler));
        if (is_chosen(options.scaler, all.back())) chosen.push_back(all.back());
    }
    if (all.empty()) {
        const json& jobs = report.at("jobs");
        throw usage_error((jobs.empty() ? "" : scaled_job_text(jobs.front()) + "; ") +
                          "the manifests contain no ScaledObject and no HorizontalPodAutoscaler; add one with -f");
    }
    if (chosen.empty()) {
        throw usage_error("--scaler " + options.scaler + ": the manifests contain no scaler with this name, only " +
                          joined(all, ", "));
    }
    return chosen;
}

gputide::scaler open_scaler(const std::string& name, const shared_options& options,
                            const std::vector<manifest_file>& files) {
    gputide::options settings = library_options(options, files);
    return gputide::scaler::open(files.front().text, settings.scaler(name));
}

gputide::credential open_credential(const std::string& given, const shared_options& options) {
    // A provider's name without a block.
    const bool is_name = given.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
    const std::vector<manifest_file> files{text_or_file("--credential", is_name ? "provider: " + given : given)};
    return gputide::credential::open(files.front().text, library_options(options, files));
}

}  // namespace gputided
