// What every source does alike: its key, its request's last touch, its judgement.
#include "source/source.hpp"

#include "auth/crypto/digest.hpp"
#include "base/format_text.hpp"
#include "source/judge.hpp"

#include <algorithm>
#include <utility>

namespace gputide::source {

fetched metric::judge(result<source::reading> reading) const {
    fetched out = reading ? to_sample(*reading) : judge_failure(reading.failure());
    if (reading) out.reading = *std::move(reading);
    if (out.why.status != status::ok && out.why.where.empty()) out.why.where = named(label);
    return out;
}

metric_source::metric_source(source::metric metric, std::string_view question,
                             std::optional<auth::authenticator> access)
    : metric_(std::move(metric)), access_(std::move(access)) {
    const std::string digest = auth::sha256(format_text("{}\n{}", question, access_ ? access_->key() : std::string()));
    std::copy_n(digest.begin(), query_key_.size(), query_key_.begin());
}

error metric_source::at_label(error why) const {
    if (why.where.empty()) why.where = named(label());
    return why;
}

result<http::request> metric_source::prepared(result<http::request> request) const {
    if (!request) return at_label(std::move(request).failure());
    if (auto ready = authenticator().prepare(*request); !ready) return at_label(std::move(ready).failure());
    return request;
}

}  // namespace gputide::source
