// Arbitrary bytes as a page of dcgm-exporter, for a plain metric, a ratio in groups and a counter: nothing may crash or hang,
// each failure has its reason, each value is one, and a page read by its series gives the same value.
#include "doctor/lookup.hpp"
#include "formats/exposition/all.hpp"
#include "require.hpp"
#include "source/dcgm/judge.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace dcgm = gputide::source::dcgm;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

dcgm::settings settings_of(const std::map<std::string, std::string>& more) {
    gputide::config::trigger from;
    from.type = "dcgm";
    from.metadata = {{"url", "http://h/"}, {"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "1"}};
    for (const auto& [key, value] : more) from.metadata[key] = value;
    auto made = dcgm::read_settings(from, {}, nullptr);
    require(made.ok());
    return *std::move(made);
}

void require_sample(const gputide::source::fetched& out) {
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

void read(const gputide::http::answer& answer, const dcgm::settings& by) {
    const auto page = dcgm::read_page(answer, by, 0);
    const auto series = dcgm::read_series(answer, by);
    require_reason(page);
    require_reason(series);
    require(page.ok() == series.ok());
    if (!page) return;
    const auto direct = dcgm::judge_picks(page->picks, by, page->hint);
    require_sample(direct);
    const auto picks = dcgm::picks_of(*series, by);
    require_reason(picks);
    // A page may write one series in several ways, which are the same only once they are read.
    if (!picks || picks->repeated != page->picks.repeated) return;
    const auto again = dcgm::judge_picks(*picks, by, page->hint);
    require_sample(again);
    require(again.sample.state == direct.sample.state && again.sample.value == direct.sample.value);
}

void look(const std::string& body) {
    const auto page = gputide::formats::exposition::read_all(body, gputide::formats::exposition::format::text);
    if (!page) return;
    static const auto asked = gputide::doctor::read_selector(R"(DCGM_FI_DEV_GPU_UTIL{pod=~"a.*",gpu!="1"})");
    const auto seen = gputide::doctor::look_over(*asked, {"DCGM_FI_DEV_GPU_UTIL"}, *page);
    require(seen.found.size() + seen.nearby.size() <= page->series.size());
    (void)gputide::doctor::pace_between(body, body.substr(body.size() / 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static const dcgm::settings each[] = {
        settings_of({}),
        settings_of({{"metric", "DCGM_FI_DEV_FB_USED/(DCGM_FI_DEV_FB_USED+DCGM_FI_DEV_FB_FREE)"}, {"by", "pod"}}),
        settings_of({{"selector", R"(pod=~"a.*",gpu!="1")"}}),
    };
    gputide::http::answer answer;
    answer.response.status = 200;
    answer.response.body.assign(reinterpret_cast<const char*>(bytes), size);
    read(answer, each[size % std::size(each)]);
    look(answer.response.body);
    return 0;
}
