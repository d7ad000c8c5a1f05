// The keys of a dcgm trigger.
#pragma once

#include "base/result.hpp"
#include "formats/exposition/format.hpp"
#include "formats/exposition/page.hpp"
#include "formats/exposition/selector.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/access/access.hpp"
#include "source/access/keys.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gputide::source::dcgm {

inline constexpr auto keys =
    text::fields({
        {.names = {"urls", "url"},
         .type = value_type::list,
         .required = true,
         .of_access = true,
         .range = "1 to 256 http or https URLs",
         .meaning = "one exporter or several, asked in parallel; without a path it is `/metrics`"},
        {.names = {"metric"},
         .required = true,
         .meaning = "a metric's name, of dcgm-exporter 1.x (`dcgm_gpu_utilization`) or of today, which stand for each "
                    "other; or `memory_pressure` = `DCGM_FI_DEV_FB_USED` over "
                    "`DCGM_FI_DEV_FB_USED,DCGM_FI_DEV_FB_FREE`"},
        {.names = {"denominator"},
         .type = value_type::list,
         .otherwise = "no ratio",
         .meaning = "metrics to divide by: both sides are summed first, then divided, in each group"},
        {.names = {"selector"},
         .otherwise = "all series",
         .range = "`=`, `!=`, `=~`, `!~`, values in quotes",
         .meaning =
             "label matchers as in PromQL. A label that is absent is `\"\"`. Regular expressions match the whole "
             "value (RE2's common syntax, with the flags `(?i)` and `(?s)`). A backslash is written twice in `\"…\"`, "
             "once in backticks"},
        {.names = {"by"},
         .type = value_type::list,
         .otherwise = "no groups",
         .meaning =
             "labels that make a group; `pod` means namespace and pod. A series with none of these labels (a GPU "
             "that no pod holds) is left out"},
        {.names = {"groupReduce"},
         .fallback = "max",
         .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
         .meaning = "how the series of a group become its value"},
        {.names = {"rate"},
         .type = value_type::flag,
         .otherwise = "`true` for known counters",
         .meaning = "a counter's growth per second since the last fetch; per series, before anything is reduced"},
        {.names = {"scale"},
         .type = value_type::number,
         .fallback = "1",
         .meaning =
             "factor for the result: `100` turns the ratios of `DCGM_FI_PROF_*` into percent, `0.001` the rate of "
             "energy (mJ) into W"},
        {.names = {"timeout"}, .type = value_type::duration, .otherwise = "3 s", .meaning = "for each page"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the exporter's certificate"},
    }) +
    preset_keys + reduce_keys + threshold_keys + access::access_keys;

// The metadata of a dcgm trigger as typed settings.  No I/O.  In: one trigger with its authentication resolved; out: settings,
// or all errors together; warnings go to the report.  The table of keys is keys.hpp.

struct settings {
    std::vector<std::string> urls;
    std::string metric;                      // as written
    std::vector<std::string> numerator;      // names of the metric
    std::vector<std::string> denominator;    // names of all its terms; empty: no ratio
    formats::exposition::selector selector;  // numerator and denominator, with the matchers
    std::vector<formats::exposition::label_names>
        group_labels;            // one value per group of series with these labels alike; empty: no groups
    std::string group_reduce;    // series of a group → its value
    std::string reduce = "avg";  // values → the trigger's value
    bool rate = false;           // of a counter, per second
    double scale = 1.0;
    bool accept_partial = false;
    std::int64_t max_age_ms = 0;  // 0: no limit; only of samples that carry a time
    std::int64_t timeout_ms = 0;  // of one page; 0: limits::default_http_timeout_ms

    access::settings access;
    source::target target;
    const preset* filled_by = nullptr;  // the preset that gave the metric

    bool is_ratio() const { return !denominator.empty(); }
    // A MIG instance does not have the metric; what it then shows, mostly 0, is not a utilization.
    bool leaves_instances_out = false;
    // Neither the selector nor `by` speaks of pods, and a shared GPU may come with its own series and one for each pod.
    bool takes_whole_devices = false;
    source::reduction possible;  // its largest value alone: what one series may say
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               text::report* findings, error* lacking = nullptr);

// From lines of a page to one number: which group a sample belongs to, what is left out, how groups become values.  Pure.

struct pick {
    std::uint32_t group = 0;
    bool in_numerator = true;
    bool in_denominator = false;
    double value = 0.0;
    std::int64_t time_ms = 0;  // 0: the page does not say
    std::string series;        // what a counter is remembered by; only where the rate is asked for

    // Set if whole devices are taken.
    std::uint32_t device = 0;  // number within the page
    std::uint32_t metric = 0;  // index of its name in the selector
    bool has_pod = false;
    bool has_exported_pod = false;
};

// Selected samples of one page or several.
struct picks {
    std::vector<pick> all;
    std::map<std::string, std::uint32_t, std::less<>> groups;
    std::size_t blank = 0;       // DCGM's marks for "no value"
    std::size_t not_finite = 0;  // NaN and infinities
    std::size_t ungrouped = 0;   // samples without the labels to group by: a GPU that no pod holds
    std::size_t instances = 0;   // MIG instances, where the metric means nothing for them
    std::size_t repeated = 0;    // series that came twice on a page; the last one counts
};

class picker {
  public:
    // `page` distinguishes equal series of different exporters.
    picker(const settings& settings, std::size_t page) : by_(settings), page_(page) {}

    void add(const formats::exposition::line& line);
    picks finish();

  private:
    void note_device(const formats::exposition::line& line, pick& pick);

    bool leave_out(const formats::exposition::line& line);
    bool group_of(const formats::exposition::line& line, std::uint32_t& group);

    const settings& by_;
    std::size_t page_;
    picks out_;
    std::unordered_map<std::string_view, std::size_t> seen_;  // series → place in out_.all
    std::unordered_map<std::string, std::uint32_t> devices_;  // UUID and instance → pick.device
    std::string key_, scratch_;
};

// All samples of `part` into `into`.
void merge(picks& into, const picks& part);

// One point per series, per group, or per group's ratio (sums first, then divide).
//   FB_USED/(FB_USED+FB_FREE): 60750 and 20250 → 60750 / 81000 = 0.75
std::vector<point> values_of(const picks& picks, const settings& settings);

// Counters → rates per second, by what the counters were before.  The memory of a trigger; everything else is pure.
// In: the picks of a reading and its time; out: the same picks with rates as values, without those that have no earlier one.

class counter_history {
  public:
    // Older readings than this give no rate any more, and are forgotten.
    static constexpr std::int64_t longest_gap_ms = 15 * 60'000;

    // rate = Δvalue / Δtime, per series.  A smaller value is a restart: all of it was counted since, so it is the Δ.
    //   100 at 0 s, 160 at 30 s → 2 per second; then 12 at 60 s → 12 / 30 s = 0.4 per second
    // A reading's own timestamp counts where it has one, else now_ms.  No time passed: no rate, and the older value stays.
    picks advance(picks now, std::int64_t now_ms);

  private:
    struct counted {
        double value = 0.0;
        std::int64_t time_ms = 0;
    };

    std::mutex guard_;  // two fetches of one trigger may overlap
    std::unordered_map<std::string, counted> before_;
};

// An exporter's answer → picks, and picks → one sample.  Pure.

struct page_picks {
    dcgm::picks picks;
    std::string hint;  // why there is nothing, where there is nothing
};

// One answer.  Errors: transport, HTTP status, a body that is not an exposition, and an empty body: an exporter that starts or
// reloads answers 200 with nothing, which is not a load of zero.
result<page_picks> read_page(const http::answer& answer, const settings& settings, std::size_t page);

// The selected series of an answer with their labels, whatever their values.
result<reading> read_series(const http::answer& answer, const settings& settings);

// The same picks from series as read_series() gives them.
result<picks> picks_of(const reading& reading, const settings& settings);

// `hint` explains empty picks.
fetched judge_picks(const picks& picks, const settings& settings, const std::string& hint);

// Why a page has nothing for a trigger, in words that say what to do.  Reads the page once more; pure.

// For a page that was read without error and gave no sample.
std::string why_nothing(std::string_view body, formats::exposition::format as, const settings& settings);

// Trigger type dcgm: GPU metrics straight from dcgm-exporter pages (or any other /metrics page), without a Prometheus between.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::dcgm
