#include "run/pages/shared_pages.hpp"

#include "common/clock.hpp"
#include "common/text.hpp"
#include "run/pages/own_name.hpp"
#include "run/pages/status_json.hpp"
#include "run/pages/status_page.hpp"

#include <utility>

namespace gputided {

bool is_health_page(const web_request& request) { return request.path == "/healthz" || request.path == "/readyz"; }

web_answer health_page(const web_request& request, std::int64_t alive_until_ms,
                       const std::function<web_answer()>& readiness) {
    if (request.path == "/healthz") {
        if (steady_now_ms() < alive_until_ms) return {200, plain_text, "ok\n"};
        return {503, plain_text, "the loop is stuck\n"};
    }
    if (request.path == "/readyz") {
        web_answer out = readiness();
        // Its reason names workloads and repeats what the API server said of them.
        if (request.from == origin::network && !request.has_login) {
            out.body = out.status == 200 ? "ready\n" : "not ready; the log and /readyz on loopback say why\n";
        }
        return out;
    }
    return {404, plain_text, "not here; there are /healthz and /readyz\n"};
}

std::optional<web_answer> board_page(const web_request& request, const std::vector<std::string>& hosts,
                                     const board& scalers, const std::string& mode,
                                     const std::function<std::string()>& runtime) {
    if (!is_own_name(request.host, hosts)) {
        return web_answer{421, plain_text,
                          printable(request.host) + " is no name of this gputided; --allow-host makes it one\n"};
    }
    if (request.path == "/") return status_page();
    if (request.path == "/status.json") {
        return data(
            scalers.read([&](const numbers& all) { return status_json(all, runtime(), mode, request.has_login); }));
    }
    if (request.path == "/history.json") {
        const std::string body = scalers.read([&](const numbers& all) { return history_json(all, request.scaler); });
        return body.empty() ? web_answer{404, plain_text, "no scaler of that name is run\n"} : data(body);
    }
    return std::nullopt;
}

web_answer metrics_answer(std::string page) {
    return {200, "text/plain; version=0.0.4; charset=utf-8", std::move(page)};
}

}  // namespace gputided
