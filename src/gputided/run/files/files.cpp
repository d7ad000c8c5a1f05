// Reads the manifests again, notices changes in folders, decides which manifest is used, and names what has changed.
#include "run/files/files.hpp"

#include "common/text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace gputided {

namespace {

constexpr char neither_is_used[] =
    "; it is unknown which of the two was first, so neither file is used (--state FILE keeps this over restarts)";

void remove_file(std::vector<manifest_file>& files, const std::string& name) {
    std::erase_if(files, [&](const manifest_file& file) { return file.name == name; });
}

// Ranks files that contradict each other.  0: unchanged; 1: owns a scaler; 2: new.
class seniority {
  public:
    // files: the current ones.  owners must outlive this object.
    seniority(const owner_files& owners, const manifest_set& before, const std::vector<manifest_file>& files)
        : owners_(owners) {
        std::map<std::string, const std::string*> texts;
        for (const manifest_file& file : before.files) texts[file.name] = &file.text;
        for (const manifest_file& file : files) {
            const auto known = texts.find(file.name);
            ranks_[file.name] = known != texts.end() && *known->second == file.text ? 0 : 2;
        }
        for (const auto& [scaler, file] : owners) {
            if (const auto at = ranks_.find(file); at != ranks_.end()) at->second = std::min(at->second, 1);
        }
    }
    int rank(const manifest_file& file) const { return ranks_.at(file.name); }

    // Returns the files to exclude because of an error.  Of two conflicting objects the newer one is excluded.  If both are
    // equally new, as at a start without --state, both are excluded, because the order of names must not decide.
    std::vector<std::string> to_blame(const json& finding) const {
        const std::string file = finding.value("file", "");
        if (!finding.contains("conflict")) return {file};
        const json& conflict = finding.at("conflict");
        const std::string other = conflict.at("other_file");
        // The older file was read first, so the error is in the newer one.
        if (ranks_.at(file) != ranks_.at(other)) return {file};
        const bool is_owner = owns(file, conflict.at("object"));
        const bool is_other_owner = owns(other, conflict.at("other_object"));
        if (is_owner == is_other_owner && file != other) return {file, other};
        return {is_owner ? other : file};
    }

  private:
    bool owns(const std::string& file, const std::string& scaler) const {
        const auto owner = owners_.find(scaler);
        return owner != owners_.end() && owner->second == file;
    }

    const owner_files& owners_;
    std::map<std::string, int> ranks_;
};

// Excludes the files with an error; returns false if no error names a file.  Handles conflicts last, because a file that is
// excluded for another reason conflicts with no other file.
bool set_aside(const json& findings, manifest_set& set, const seniority& ranks) {
    const std::size_t before = set.files.size();
    for (const bool conflicts : {false, true}) {
        for (const json& finding : findings) {
            if (finding.value("severity", "") != "error" || finding.contains("conflict") != conflicts) continue;
            const std::vector<std::string> blamed = ranks.to_blame(finding);
            const std::string reason =
                "E_INVALID: " + located_text(finding) + (blamed.size() > 1 ? neither_is_used : "");
            for (const std::string& file : blamed) {
                if (set.broken.emplace(file, reason).second) remove_file(set.files, file);
            }
        }
        if (set.files.size() < before) return true;
    }
    return false;
}

// Finds the scalers.  Each round excludes at least one file, because an error in a file may cause errors in others.
void find_scalers(manifest_set& set, const shared_options& options, const seniority& ranks) {
    while (!set.files.empty()) {
        const gputide::check_result checked =
            gputide::check(set.files.front().text, library_options(options, set.files));
        const json report = json::parse(checked.report);
        if (checked.failed && set_aside(report.at("report").at("findings"), set, ranks)) continue;
        if (checked.failed) {  // no file can be excluded, so nothing can be used
            for (const manifest_file& file : set.files)
                set.broken[file.name] = failure_text(gputide::failure(checked.error));
            set.files.clear();
            return;
        }
        for (const auto& scaler : report.at("scalers")) {
            const std::string file = scaler.at("file");
            const std::string full_name = full_name_in(scaler);
            set.with_scalers.insert(file);
            if (is_chosen(options.scaler, full_name)) set.scalers.push_back({full_name, file});
        }
        for (const auto& job : report.at("jobs")) set.unhandled.push_back({full_name_in(job), scaled_job_text(job)});
        return;
    }
}

// Returns a scaler that appears in another file while its own file cannot be used; null if there is none.
const wanted_scaler* intruder_in(const manifest_set& set, const owner_files& owners) {
    for (const wanted_scaler& scaler : set.scalers) {
        const auto owner = owners.find(scaler.name);
        if (owner != owners.end() && owner->second != scaler.file && set.broken.count(owner->second) > 0)
            return &scaler;
    }
    return nullptr;
}

std::string intruder_text(const wanted_scaler& scaler, const std::string& owner) {
    return "E_INVALID: " + scaler.file + ": contains " + scaler.name + ", which is already used from " + owner +
           ": keep it in one of the two files";
}

// Tells whether the file may contain secrets or credentials; a wrong true is harmless.
bool may_hold_secrets(const manifest_file& file) {
    const auto has = [&](const char* word) { return file.text.find(word) != std::string::npos; };
    return has("TriggerAuthentication") || has("Secret") || has("ConfigMap");
}

}  // namespace

manifest_set scalers_in(std::vector<manifest_file> files, const shared_options& options, const owner_files& owners,
                        const std::map<std::string, std::string>& unreadable, const manifest_set& before) {
    const std::vector<manifest_file> given = files;
    const seniority ranks(owners, before, given);
    std::stable_sort(files.begin(), files.end(),
                     [&](const manifest_file& a, const manifest_file& b) { return ranks.rank(a) < ranks.rank(b); });
    std::map<std::string, std::string> refused = unreadable;
    for (;;) {
        manifest_set out;
        out.files = files;
        out.broken = refused;
        find_scalers(out, options, ranks);
        if (const wanted_scaler* intruder = intruder_in(out, owners); intruder != nullptr) {
            refused[intruder->file] = intruder_text(*intruder, owners.at(intruder->name));
            remove_file(files, intruder->file);
            continue;
        }
        out.files = given;
        std::erase_if(out.files, [&](const manifest_file& file) { return out.broken.count(file.name) > 0; });
        return out;
    }
}

bool is_broken(const std::string& file, const manifest_set& set) {
    if (set.broken.count(file) > 0) return true;
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return false;
    return set.broken.count(file.substr(0, slash)) > 0 || set.broken.count(file.substr(0, slash + 1)) > 0;
}

scaler_texts::scaler_texts(const manifest_set& set) {
    for (const manifest_file& file : set.files) {
        by_name_[file.name] = &file;
        if (set.with_scalers.count(file.name) == 0) {
            plain_.push_back(&file);
        } else if (may_hold_secrets(file)) {
            with_secrets_.push_back(&file);
        }
    }
}

scaler_text scaler_texts::of(const wanted_scaler& scaler, beside which) const {
    scaler_text out;
    out.files.push_back(*by_name_.at(scaler.file));
    const auto add = [&](const std::vector<const manifest_file*>& files) {
        for (const manifest_file* file : files) {
            if (file->name != scaler.file) out.files.push_back(*file);
        }
    };
    add(plain_);
    if (which == beside::other_scalers) add(with_secrets_);
    for (const manifest_file& file : out.files) {
        out.fingerprint = out.fingerprint * 31 + std::hash<std::string>()(file.name + '\0' + file.text);
    }
    return out;
}

bool manifest_reader::is_in_folder(const std::string& path) const {
    return std::ranges::find(options_.files, path) == options_.files.end();
}

manifest_set manifest_reader::read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled) {
    const auto reader = [&](const std::string& path) -> std::optional<std::string> {
        const auto known = texts_.find(path);
        const bool stays = is_in_folder(path) ? unsettled.count(path) > 0 : path == "-" || scope == reading::folders;
        if (stays && known != texts_.end()) return known->second;
        if (stays && is_in_folder(path)) return std::nullopt;  // it is being written for the first time
        return read_text(path);
    };
    manifests_read found = read_those_readable(options_, reader, empty_folders::allowed);
    std::map<std::string, std::string> next;
    for (const manifest_file& file : found.files) next[file.name] = file.text;
    for (const std::string& path : unsettled) {
        // A file that is missing in one poll keeps its text, because it may be about to be replaced.
        const auto known = texts_.find(path);
        if (known != texts_.end() && next.insert(*known).second) found.files.push_back({path, known->second});
    }
    texts_ = std::move(next);
    std::map<std::string, std::string> broken;
    for (const auto& [path, reason] : found.unreadable) broken[is_utf8(path) ? path : printable(path)] = reason;
    last_ = scalers_in(std::move(found.files), options_, owners, broken, last_);
    return last_;
}

manifest_set manifest_reader::read_first(const owner_files& owners) {
    manifest_set out = read(reading::everything, owners, {});
    const bool all_in_folders =
        std::ranges::all_of(out.broken, [this](const auto& file) { return is_in_folder(file.first); });
    if (!out.scalers.empty() && all_in_folders) return out;
    // Throws the same error as other commands do.  Standard input was already read.
    static_cast<void>(scaler_names(options_, read_manifests(options_, [this](const std::string& path) {
                                       const auto known = texts_.find(path);
                                       return known != texts_.end() ? known->second : read_text(path);
                                   })));
    return out;
}

folder_watch::folder_watch(const std::vector<std::string>& paths) {
    std::error_code failed;
    for (const std::string& path : paths) {
        if (std::filesystem::is_directory(path, failed)) folders_.push_back(path);
    }
    look();
    for (auto& [path, file] : files_) file.taken = file.last = file.now;
}

void folder_watch::look() {
    for (auto& [path, file] : files_) file.now = {};
    for (const std::string& folder : folders_) {
        try {
            for (const std::string& path : manifest_paths(folder)) {
                struct stat about {};
                if (::stat(path.c_str(), &about) != 0 && ::lstat(path.c_str(), &about) != 0) continue;
                const std::int64_t changed_ns = about.st_mtim.tv_sec * 1'000'000'000 + about.st_mtim.tv_nsec;
                files_[path].now = {changed_ns, about.st_size, static_cast<std::int64_t>(about.st_ino)};
            }
        } catch (const usage_error&) {
            files_[folder].now = unreadable;  // is also a change; the reader reports the reason
        }
    }
}

// Polls the folders.  A missing file counts at the second poll, because it may be about to be replaced.
bool folder_watch::changed() {
    look();
    bool any = false;
    unsettled_.clear();
    for (auto& [path, file] : files_) {
        if (file.now != file.last) {
            unsettled_.insert(path);
        } else if (file.now != file.taken) {
            any = true;
            file.taken = file.now;
        }
        file.last = file.now;
    }
    std::erase_if(files_, [](const auto& entry) {
        return entry.second.last == stamp() && entry.second.taken == stamp();  // it was removed
    });
    return any;
}

// ---- The differences of two readings.

namespace {

constexpr const char* secret_words[] = {"password", "token", "key", "secret", "pin"};

using leaves = std::map<std::string, ordered_json>;  // by path: "triggers[0].metadata.threshold"

void add_leaves(const ordered_json& value, const std::string& path, leaves& out) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            std::string below = path;
            if (!path.empty()) below += '.';
            below += key;
            add_leaves(member, below, out);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) add_leaves(value[i], path + "[" + std::to_string(i) + "]", out);
    } else {
        out[path] = value;
    }
}

// Returns the leaves of spec by their path below spec, and other leaves by their whole path.
leaves leaves_of(const ordered_json& document) {
    leaves out;
    for (const auto& [key, member] : document.items()) add_leaves(member, key == "spec" ? "" : key, out);
    return out;
}

// Reports whether a value is a number, a duration, a quantity or a boolean.
bool may_be_shown(const ordered_json& value) {
    if (value.is_number() || value.is_boolean()) return true;
    if (!value.is_string()) return false;
    const auto text = value.get<std::string>();
    if (text == "true" || text == "false") return true;
    const std::size_t digits = text.find_first_not_of("0123456789.");
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
           (digits == std::string::npos || text.size() - digits <= 2);
}

// Reports whether a member's name suggests a secret, such as a key of customHeaders.
bool is_secret_name(std::string path) {
    std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::any_of(secret_words, [&](const char* word) { return path.find(word) != std::string::npos; });
}

std::string change_text(const std::string& path, const ordered_json* before, const ordered_json* after,
                        bool shows_values) {
    const bool is_shown = shows_values && !is_secret_name(path) && (before == nullptr || may_be_shown(*before)) &&
                          (after == nullptr || may_be_shown(*after));
    if (!is_shown) return path + (before == nullptr ? " is new" : after == nullptr ? " was removed" : " has changed");
    return path + " " + (before == nullptr ? "(default)" : shown(*before)) + " → " +
           (after == nullptr ? "(default)" : shown(*after));
}

std::string differences(const ordered_json& before, const ordered_json& after, bool shows_values) {
    const leaves old = leaves_of(before), fresh = leaves_of(after);
    std::vector<std::string> out;
    for (const auto& [path, value] : fresh) {
        const auto known = old.find(path);
        if (known != old.end() && known->second == value) continue;
        out.push_back(change_text(path, known == old.end() ? nullptr : &known->second, &value, shows_values));
    }
    for (const auto& [path, value] : old) {
        if (fresh.count(path) == 0) out.push_back(change_text(path, &value, nullptr, shows_values));
    }
    return joined(out, ", ");
}

using objects = std::map<std::string, ordered_json>;

objects objects_of(const std::string& text) {
    objects out;
    for (ordered_json& document : documents_of(text)) {
        if (!document.is_object()) continue;
        const std::string name = object_name(document);
        out[name] = std::move(document);
    }
    return out;
}

void compare(const std::string& file, const objects& before, const objects& after, std::vector<std::string>& out) {
    for (const auto& [name, document] : after) {
        const auto known = before.find(name);
        if (known == before.end()) {
            out.push_back(file + ": " + name + " is new");
        } else if (known->second != document) {
            out.push_back(file + ": " + name + " " + differences(known->second, document, is_scaler(document)));
        }
    }
    for (const auto& [name, document] : before) {
        if (after.count(name) == 0 && !is_scaler(document)) out.push_back(file + ": " + name + " was removed");
    }
}

}  // namespace

std::vector<std::string> changes_between(const std::vector<manifest_file>& before,
                                         const std::vector<manifest_file>& after) {
    std::map<std::string, std::pair<const std::string*, const std::string*>> texts;
    for (const manifest_file& file : before) texts[file.name].first = &file.text;
    for (const manifest_file& file : after) texts[file.name].second = &file.text;
    std::vector<std::string> out;
    for (const auto& [file, pair] : texts) {
        const auto [old, fresh] = pair;
        if (old != nullptr && fresh != nullptr && *old == *fresh) continue;
        compare(file, old == nullptr ? objects() : objects_of(*old), fresh == nullptr ? objects() : objects_of(*fresh),
                out);
    }
    return out;
}

}  // namespace gputided
