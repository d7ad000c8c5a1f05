// From lines of a page to one number: which group a sample belongs to, what is left out, how groups become values.  Pure.
#pragma once

#include "formats/exposition/page.hpp"
#include "source/dcgm/settings.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace gputide::source::dcgm {

struct pick {
    std::uint32_t group = 0;
    bool in_numerator = true;
    bool in_denominator = false;
    double value = 0.0;
    std::int64_t time_ms = 0;  // 0: the page does not say
    std::string series;        // what a counter is remembered by; only where the rate is asked for

    // Where whole devices are taken.
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

    void add(const formats::exposition::line& one);
    picks finish();

  private:
    void note_device(const formats::exposition::line& one, pick& pick);

    bool leave_out(const formats::exposition::line& one);
    bool group_of(const formats::exposition::line& one, std::uint32_t& group);

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

}  // namespace gputide::source::dcgm
