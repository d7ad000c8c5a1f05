#include "run/files/manifest_set.hpp"

#include "common/log.hpp"
#include "common/shared_options.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace gputided {
namespace {

constexpr char neither_is_run[] =
    "; which of the two was there first is unknown, so that neither file is used (--state FILE remembers it over a "
    "restart)";

// "so.yaml:20 spec.triggers[0].metadata.threshold: expected a number, got "abc"; remedy"
std::string finding_text(const nlohmann::json& finding) {
    std::string out = "E_INVALID: " + finding.value("file", "");
    if (finding.value("line", 0) > 0) out += ":" + std::to_string(finding.value("line", 0));
    if (const std::string path = finding.value("path", ""); !path.empty()) out += " " + path;
    out += ": " + finding.value("message", "");
    if (const std::string remedy = finding.value("remedy", ""); !remedy.empty()) out += ": " + remedy;
    return out;
}

void remove_file(std::vector<manifest_file>& files, const std::string& name) {
    files.erase(
        std::remove_if(files.begin(), files.end(), [&](const manifest_file& file) { return file.name == name; }),
        files.end());
}

// 0: as it was; 1: a scaler was run from it; 2: a newcomer.
class seniority {
  public:
    // files: what is read now.  All are borrowed.
    seniority(const owner_files& owners, const manifest_set& before, const std::vector<manifest_file>& files)
        : owners_(owners) {
        for (const auto& [scaler, file] : owners) owning_.insert(file);
        for (const manifest_file& file : before.files) before_.emplace(file.name, &file.text);
        for (const manifest_file& file : files) ranks_[file.name] = rank(file);
    }
    int rank(const manifest_file& file) const {
        const auto known = before_.find(file.name);
        if (known != before_.end() && *known->second == file.text) return 0;
        return owning_.count(file.name) > 0 ? 1 : 2;
    }

    // The files that an error takes out.  Of two objects in each other's way the newcomer goes; where it is unknown which one that is,
    // as at a start without --state, both go: the order of names must not decide.
    std::vector<std::string> to_blame(const nlohmann::json& finding) const {
        const std::string file = finding.value("file", "");
        if (!finding.contains("conflict")) return {file};
        const nlohmann::json& conflict = finding.at("conflict");
        const std::string other = conflict.at("other_file");
        if (ranks_.at(file) != ranks_.at(other)) return {file};  // the senior one was read first
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
    std::set<std::string> owning_;
    std::map<std::string, const std::string*> before_;
};

// Takes the files that have an error out.  False: no file is to blame.  Conflicts come last: a file that goes for another reason is
// in no other's way.
bool set_aside(const nlohmann::json& findings, manifest_set& set, const seniority& ranks) {
    const std::size_t before = set.files.size();
    for (const bool conflicts : {false, true}) {
        for (const nlohmann::json& finding : findings) {
            if (finding.value("severity", "") != "error" || finding.contains("conflict") != conflicts) continue;
            const std::vector<std::string> blamed = ranks.to_blame(finding);
            const std::string reason = finding_text(finding) + (blamed.size() > 1 ? neither_is_run : "");
            for (const std::string& file : blamed) {
                if (set.broken.emplace(file, reason).second) remove_file(set.files, file);
            }
        }
        if (set.files.size() < before) return true;
    }
    return false;
}

// Each round takes at least one file out: an error in one may be the cause of others'.
void find_scalers(manifest_set& set, const shared_options& options, const seniority& ranks) {
    while (!set.files.empty()) {
        const gputide::check_result checked =
            gputide::check(set.files.front().text, library_options(options, set.files));
        const auto report = nlohmann::json::parse(checked.report);
        if (checked.failed && set_aside(report.at("report").at("findings"), set, ranks)) continue;
        if (checked.failed) {  // what nobody is to blame for changes nothing
            for (const manifest_file& file : set.files)
                set.broken[file.name] = failure_text(gputide::failure(checked.error));
            set.files.clear();
            return;
        }
        for (const auto& scaler : report.at("scalers")) {
            const std::string file = scaler.at("file");
            const std::string full_name =
                scaler.at("namespace").get<std::string>() + "/" + scaler.at("name").get<std::string>();
            set.with_scalers.insert(file);
            if (is_chosen(options.scaler, full_name)) set.scalers.push_back({full_name, file});
        }
        return;
    }
}

// A file that holds a scaler whose own file cannot be read now; null: there is none.
const wanted_scaler* intruder_in(const manifest_set& set, const owner_files& owners) {
    for (const wanted_scaler& scaler : set.scalers) {
        const auto owner = owners.find(scaler.name);
        if (owner != owners.end() && owner->second != scaler.file && set.broken.count(owner->second) > 0)
            return &scaler;
    }
    return nullptr;
}

std::string intruder_text(const wanted_scaler& scaler, const std::string& owner) {
    return "E_INVALID: " + scaler.file + ": holds " + scaler.name + ", which is run from " + owner +
           ": keep it in one of the two files";
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
        std::vector<manifest_file> in_order;
        for (const manifest_file& file : given) {
            if (out.broken.count(file.name) == 0) in_order.push_back(file);
        }
        out.files = std::move(in_order);
        return out;
    }
}

bool is_broken(const std::string& file, const manifest_set& set) {
    if (set.broken.count(file) > 0) return true;
    const std::size_t slash = file.rfind('/');
    if (slash == std::string::npos) return false;
    return set.broken.count(file.substr(0, slash)) > 0 || set.broken.count(file.substr(0, slash + 1)) > 0;
}

}  // namespace gputided
