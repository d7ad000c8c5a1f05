#include "run/files/manifest_reader.hpp"

#include "common/exit_status.hpp"
#include "common/files.hpp"
#include "common/text.hpp"

#include <algorithm>
#include <utility>

namespace gputided {

void manifest_reader::read_one(const std::string& path, one_pass& pass) {
    if (!is_utf8(path)) {
        pass.broken[printable(path)] = printable(path) + ": the name of this file is not UTF-8; rename it";
        return;
    }
    const auto known = texts_.find(path);
    const bool stays =
        is_in_folder(path) ? pass.unsettled.count(path) > 0 : path == "-" || pass.scope == reading::folders;
    if (stays && known == texts_.end() && is_in_folder(path)) return;  // its first words are being written
    if (stays && known != texts_.end()) {
        pass.files.push_back({path, known->second});
        return;
    }
    try {
        pass.files.push_back({path, read_text(path)});
    } catch (const usage_error& failed) {
        pass.broken[path] = failed.what();
    }
}

// What is gone for one look may be on its way to be replaced.
void manifest_reader::keep_missing(one_pass& pass) const {
    for (const std::string& path : pass.unsettled) {
        const auto known = texts_.find(path);
        const bool is_there = std::any_of(pass.files.begin(), pass.files.end(),
                                          [&](const manifest_file& file) { return file.name == path; });
        if (known != texts_.end() && !is_there) pass.files.push_back({path, known->second});
    }
}

bool manifest_reader::is_in_folder(const std::string& path) const {
    return std::find(options_.files.begin(), options_.files.end(), path) == options_.files.end();
}

manifest_set manifest_reader::read(reading scope, const owner_files& owners, const std::set<std::string>& unsettled) {
    one_pass pass{scope, unsettled, {}, {}};
    for (const std::string& given : options_.files) {
        try {
            for (const std::string& path : manifest_paths(given)) read_one(path, pass);
        } catch (const usage_error& failed) {
            pass.broken[given] = failed.what();
        }
    }
    keep_missing(pass);
    texts_.clear();
    for (const manifest_file& file : pass.files) texts_[file.name] = file.text;
    manifest_set out = scalers_in(std::move(pass.files), options_, owners, pass.broken, last_);
    last_ = out;
    return out;
}

manifest_set manifest_reader::read_first(const owner_files& owners) {
    manifest_set out = read(reading::everything, owners, {});
    const bool all_in_folders = std::all_of(out.broken.begin(), out.broken.end(),
                                            [this](const auto& file) { return is_in_folder(file.first); });
    if (!out.scalers.empty() && all_in_folders) return out;
    // In the words of the other commands; standard input has been read.
    static_cast<void>(scaler_names(options_, read_manifests(options_, [this](const std::string& path) {
                                       const auto known = texts_.find(path);
                                       return known != texts_.end() ? known->second : read_text(path);
                                   })));
    return out;
}

}  // namespace gputided
