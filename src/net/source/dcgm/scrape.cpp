#include "source/dcgm/scrape.hpp"

#include <utility>

namespace gputide::source::dcgm {

std::shared_ptr<http::exchange> scrape_all(const std::shared_ptr<http::loop>& loop,
                                           const auth::authenticator& authenticator,
                                           const std::vector<result<http::request>>& requests, std::int64_t deadline_ms,
                                           std::function<void(std::vector<result<auth::exchanged>>)> done) {
    std::vector<http::starter<result<auth::exchanged>>> parts;
    parts.reserve(requests.size());
    for (const result<http::request>& request : requests) {
        parts.emplace_back(
            [&loop, &authenticator, &request, deadline_ms](std::function<void(result<auth::exchanged>)> one) {
                return auth::send_question(loop, authenticator, request, deadline_ms, std::move(one));
            });
    }
    return http::all<result<auth::exchanged>>(*loop, parts, std::move(done));
}

}  // namespace gputide::source::dcgm
