// Reads which pods get no node: while a target waits for pods, the pods without a node, the events of the autoscaler about them, and
// its status, each 15 s.  Each needs a permission; only the list of pods is required.
// Everything happens on the thread that drives the loop.
#pragma once

#include "base/callback.hpp"
#include "base/function_ref.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/capacity.hpp"
#include "kubernetes/watch/list.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gputide::kubernetes {

struct controller_context;

using shortages = std::map<pod_owner, shortage>;

class capacity_reader {
  public:
    // take: gets the result of each pass.
    capacity_reader(const controller_context& context, callback<void(const shortages&)> take)
        : with_(context), take_(std::move(take)) {}
    capacity_reader(const capacity_reader&) = delete;
    capacity_reader& operator=(const capacity_reader&) = delete;

    void tick(function_ref<bool()> is_wanted);  // once a second
    void end() { work_.cancel(); }

    // Returns why the last pass knows less than it could; "": nothing is missing.
    const std::string& message() const { return message_; }

  private:
    void add_parts(const std::string& resource, std::string_view query);
    void read_next();
    void read_page(const page& page, const std::string& body);
    void read_came(const result<void>& read);
    void read_status();
    void conclude(const std::vector<full_pool>& pools);
    void note_failure(const error& why);
    void show_failure();

    const controller_context& with_;
    const callback<void(const shortages&)> take_;
    awaited work_;
    std::int64_t next_ms_ = 0;  // steady
    std::string message_;

    // ---- of the pass under way
    std::vector<endpoint> left_;  // to be read, the next one last
    bool reads_events_ = false;   // false: the lists of pods
    std::vector<unplaced_pod> pods_;
    std::set<std::string> seen_;  // their uids: a list may begin again
    autoscaler_verdicts verdicts_;
    std::string failure_;
};

}  // namespace gputide::kubernetes
