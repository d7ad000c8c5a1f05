#include "run/files/scaler_texts.hpp"

#include <functional>

namespace gputided {
namespace {

// Too often yes is no harm.
bool may_hold_secrets(const manifest_file& file) {
    const auto has = [&](const char* word) { return file.text.find(word) != std::string::npos; };
    return has("TriggerAuthentication") || has("Secret") || has("ConfigMap");
}

}  // namespace

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

}  // namespace gputided
