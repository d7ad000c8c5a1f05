// The trigger type dcgm: keys, settings, selection of samples on pages, rates of counters, result.
#pragma once

#include "base/result.hpp"
#include "formats/exposition/page.hpp"
#include "formats/exposition/selector.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

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
        {.names = "urls url",
         .type = value_type::list,
         .required = true,
         .of_access = true,
         .range = "1 to 256 http or https URLs",
         .meaning = "one or several exporters, read in parallel; the default path is `/metrics`"},
        {.names = {"metric"},
         .required = true,
         .meaning =
             "a metric's name, in the form of dcgm-exporter 1.x (`dcgm_gpu_utilization`) or the current one, which are "
             "equivalent; or `memory_pressure` = `DCGM_FI_DEV_FB_USED` over `DCGM_FI_DEV_FB_USED,DCGM_FI_DEV_FB_FREE`"},
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
         .meaning = "labels that make a group; `pod` means namespace and pod. A series without these labels (a GPU "
                    "that is not assigned to a pod) is ignored"},
        {.names = {"groupReduce"},
         .fallback = "max",
         .range = "`avg`, `max`, `min`, `sum`, `count`, `pNN`",
         .meaning = "how the series of a group are combined"},
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

struct settings : common_settings {
    std::vector<std::string> urls;
    std::string metric;                      // as written
    std::vector<std::string> numerator;      // all names of the metric
    std::vector<std::string> denominator;    // all names of all its terms; empty: no ratio
    formats::exposition::selector selector;  // matches numerator and denominator, with the label matchers
    std::vector<formats::exposition::label_names>
        group_labels;  // each combination of these labels' values is a group; empty: no groups
    // Reduces the series of a group to its value; reduction.reduce reduces the groups' values.
    std::string group_reduce;
    bool rate = false;  // is a counter: use its rate per second
    double scale = 1.0;
    std::int64_t timeout_ms = 0;  // per page; 0: limits::default_http_timeout_ms

    access::settings access;
    const preset* filled_by = nullptr;  // the preset that set the metric; null: none

    bool is_ratio() const { return !denominator.empty(); }
    // The metric does not exist for MIG instances: the value shown for them, mostly 0, is not a utilization.
    bool leaves_instances_out = false;
    // Neither the selector nor `by` uses pod labels, and a shared GPU may have its own series and one for each pod.
    bool takes_whole_devices = false;
};

result<settings> read_settings(trigger_reader& read);

// Reduces lines of a page to one number: assigns samples to groups, filters them, and reduces the groups.  Pure.

struct pick {
    std::uint32_t group = 0;
    bool in_numerator = true;
    bool in_denominator = false;
    double value = 0.0;
    std::int64_t time_ms = 0;  // 0: the page has no timestamp
    std::string series;        // key of a counter in counter_history; only set if a rate is needed

    // Set only if settings.takes_whole_devices.
    std::uint32_t device = 0;  // number within the page
    std::uint32_t metric = 0;  // index of its name in the selector
    bool has_pod = false;
    bool has_exported_pod = false;
};

// Selected samples of one or several pages.
struct picks {
    std::vector<pick> all;
    std::map<std::string, std::uint32_t, std::less<>> groups;
    std::size_t blank = 0;       // DCGM's marks for a blank value
    std::size_t not_finite = 0;  // NaN and infinities
    std::size_t ungrouped = 0;   // samples without the labels of `by`: a GPU that is not assigned to a pod
    std::size_t instances = 0;   // MIG instances, for which the metric does not exist
    std::size_t repeated = 0;    // series that occur twice on a page; the last one is used
    std::string hint;            // why a page has no picks
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

// Adds all samples of `part` to `into`.
void merge(picks& into, const picks& part);

// Returns one point per series, per group, or per ratio of a group (sums first, then division).
//   FB_USED/(FB_USED+FB_FREE): 60750 and 20250 → 60750 / 81000 = 0.75
std::vector<point> values_of(const picks& picks, const settings& settings);

// Turns counters into rates per second by their values of the previous reading.  This is the only state of a trigger.  Picks
// without an earlier value are dropped.

class counter_history {
  public:
    // Older readings are forgotten and give no rate.
    static constexpr std::int64_t longest_gap_ms = 15 * 60'000;

    // Computes rate = Δvalue / Δtime per series.  After a decrease (a restarted counter) the whole new value is the Δ.
    //   100 at 0 s, 160 at 30 s → 2 per second; then 12 at 60 s → 12 / 30 s = 0.4 per second
    // Uses the sample's own timestamp if it has one, otherwise now_ms.  If no time has passed, there is no rate and the older
    // value is kept.
    picks advance(picks now, std::int64_t now_ms);

  private:
    struct counted {
        double value = 0.0;
        std::int64_t time_ms = 0;
    };

    std::mutex guard_;  // protects before_: two fetches of one trigger may overlap
    std::unordered_map<std::string, counted> before_;
};

// Parses an exporter's response to picks, and reduces picks to one sample.  Pure.  A page without a matching sample is parsed again for
// the reason, which says what to do.

// Parses one response.  Errors: transport, HTTP status, a body that is not an exposition, and an empty body: an exporter that
// starts or reloads responds with 200 and an empty body, which does not mean a load of zero.
result<picks> read_page(const http::answer& answer, const settings& settings, std::size_t page);

// Returns the selected series of a response with their labels, without any check of the values.
result<reading> read_series(const http::answer& answer, const settings& settings);

// Returns the picks of the series that read_series() returned.
result<picks> picks_of(const reading& reading, const settings& settings);

// Reduces picks to one sample.
fetched judge_picks(const picks& picks, const settings& settings);

// The trigger type dcgm: GPU metrics directly from dcgm-exporter pages (or any other /metrics page), without a Prometheus.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::dcgm
