#include "manifests.hpp"

#include "files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace gputided {
namespace {

// "so.yaml:20 spec.triggers[0].metadata.threshold: expected a number, got "abc"; remedy"
std::string finding_text(const nlohmann::json& from) {
    std::string out = "E_INVALID: " + from.value("file", "");
    if (from.value("line", 0) > 0) out += ":" + std::to_string(from.value("line", 0));
    if (const std::string path = from.value("path", ""); !path.empty()) out += " " + path;
    out += ": " + from.value("message", "");
    if (const std::string remedy = from.value("remedy", ""); !remedy.empty()) out += ": " + remedy;
    return out;
}

// Takes the files that have an error out.  False: no file is to blame.
bool set_aside(const nlohmann::json& findings, manifest_set& from) {
    std::set<std::string> bad;
    for (const nlohmann::json& one : findings) {
        if (one.value("severity", "") != "error") continue;
        const std::string file = one.value("file", "");
        if (bad.insert(file).second) from.broken[file] = finding_text(one);
    }
    const auto is_bad = [&](const manifest_file& one) { return bad.count(one.name) > 0; };
    const auto first = std::remove_if(from.files.begin(), from.files.end(), is_bad);
    const bool any = first != from.files.end();
    from.files.erase(first, from.files.end());
    return any;
}

// Too often yes is no harm.
bool may_hold_secrets(const manifest_file& file) {
    const auto has = [&](const char* word) { return file.text.find(word) != std::string::npos; };
    return has("TriggerAuthentication") || has("Secret") || has("ConfigMap");
}

bool is_chosen(const std::string& chosen, const std::string& name, const std::string& full_name) {
    return chosen.empty() || chosen == name || chosen == full_name;
}

// Each round takes at least one file out: an error in one may be the cause of others'.
void find_scalers(manifest_set& in, const options& with) {
    while (!in.files.empty()) {
        const gputide::check_result checked = gputide::check(in.files.front().text, library_options(with, in.files));
        const auto report = nlohmann::json::parse(checked.report);
        if (checked.failed && set_aside(report.at("report").at("findings"), in)) continue;
        for (const auto& one : report.at("scalers")) {
            const std::string name = one.at("name");
            const std::string full_name = one.at("namespace").get<std::string>() + "/" + name;
            in.with_scalers.insert(one.at("file").get<std::string>());
            if (is_chosen(with.scaler, name, full_name)) in.scalers.push_back({full_name, one.at("file")});
        }
        return;
    }
}

}  // namespace

void manifest_reader::read_one(const std::string& name, manifest_set& into, bool fresh) {
    try {
        const bool in_folder = is_in_folder(name);
        const auto known = texts_.find(name);
        if (!in_folder && known != texts_.end() && (!fresh || name == "-")) {
            into.files.push_back({name, known->second});
            return;
        }
        into.files.push_back({name, read_text(name)});
        if (!in_folder) texts_[name] = into.files.back().text;
    } catch (const usage_error& failed) {
        into.broken[name] = failed.what();
    }
}

bool manifest_reader::is_in_folder(const std::string& file) const {
    return std::find(from_.files.begin(), from_.files.end(), file) == from_.files.end();
}

manifest_set manifest_reader::read(bool changed_folders) {
    manifest_set out;
    for (const std::string& given : from_.files) {
        try {
            for (const std::string& name : manifests_of(given)) read_one(name, out, !changed_folders);
        } catch (const usage_error& failed) {
            out.broken[given] = failed.what();
        }
    }
    find_scalers(out, from_);
    return out;
}

manifest_set manifest_reader::read_first() {
    manifest_set out = read(false);
    const bool all_in_folders =
        std::all_of(out.broken.begin(), out.broken.end(), [this](const auto& one) { return is_in_folder(one.first); });
    if (!out.scalers.empty() && all_in_folders) return out;
    // In the words of the other commands; standard input has been read.
    static_cast<void>(scaler_names(from_, read_manifests(from_, [this](const std::string& name) {
                                       const auto known = texts_.find(name);
                                       return known != texts_.end() ? known->second : read_text(name);
                                   })));
    return out;
}

scaler_text text_of(const wanted_scaler& one, const manifest_set& from, bool beside) {
    scaler_text out;
    for (const manifest_file& file : from.files) {
        if (file.name == one.file) {
            out.files.insert(out.files.begin(), file);
        } else if (from.with_scalers.count(file.name) == 0 || (beside && may_hold_secrets(file))) {
            out.files.push_back(file);
        }
    }
    for (const manifest_file& file : out.files) {
        out.fingerprint = out.fingerprint * 31 + std::hash<std::string>()(file.name + '\0' + file.text);
    }
    return out;
}

}  // namespace gputided
