#include "kubernetes/controller/capacity_reader.hpp"

#include "formats/json/members.hpp"
#include "kubernetes/controller/reconciler.hpp"
#include "kubernetes/watch/list.hpp"
#include "runtime/log.hpp"

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t pass_ms = 15'000;
constexpr std::int64_t read_timeout_ms = 10'000;
constexpr std::size_t max_pods = 10'000;  // of a pass: what is beyond is not judged

}  // namespace

void capacity_reader::tick(function_ref<bool()> is_wanted) {
    const std::int64_t now_ms = with_.now_ms();
    if (with_.is_ending || now_ms < next_ms_ || work_.is_under_way(now_ms) || !is_wanted()) return;
    next_ms_ = now_ms + pass_ms;
    left_.clear();
    pods_.clear();
    seen_.clear();
    verdicts_.clear();
    failure_.clear();
    reads_events_ = false;
    add_parts("pods", unplaced_pods_query);
    read_next();
}

void capacity_reader::add_parts(const std::string& resource, std::string_view query) {
    for (const std::string& space : with_.watched_namespaces()) {
        endpoint target = known_resource("", "v1", resource).collection(space);
        target.query = query;
        left_.push_back(std::move(target));
    }
}

void capacity_reader::read_next() {
    if (left_.empty() && !reads_events_ && !pods_.empty()) {
        reads_events_ = true;
        for (const std::string_view autoscaler : autoscaler_components)
            add_parts("events", pod_events_query(autoscaler));
    }
    if (left_.empty()) return pods_.empty() ? conclude({}) : read_status();
    const endpoint next = std::move(left_.back());
    left_.pop_back();
    const std::int64_t until_ms = with_.now_ms() + read_timeout_ms;
    work_.begin_until(list_pages(
                          with_.api, next, until_ms,
                          [this](const page& page, const std::string& body) {
                              read_page(page, body);
                              return result<void>();
                          },
                          [this](const result<void>& read) { read_came(read); }),
                      until_ms);
}

void capacity_reader::read_page(const page& page, const std::string& body) {
    const auto take = [&](simdjson::dom::object object) {
        if (reads_events_) {
            const auto about = formats::object_of(object, "involvedObject");
            if (about && seen_.count(formats::text_in(*about, "uid")) != 0) take_event(object, verdicts_);
            return;
        }
        auto pod = read_unplaced_pod(object);
        const bool is_new = pod && pods_.size() < max_pods && seen_.insert(pod->uid).second;
        if (is_new) pods_.push_back(*std::move(pod));
    };
    read_items(page, body, take, [](const unreadable_object&) {});
}

// After a failed list of pods the shortages of the last pass stay.
void capacity_reader::read_came(const result<void>& read) {
    work_.end();
    if (!read) note_failure(read.failure());
    if (read || reads_events_) return read_next();
    show_failure();
}

void capacity_reader::read_status() {
    api_request request;
    request.target = known_resource("", "v1", "configmaps").object({"kube-system", "cluster-autoscaler-status"}, "get");
    work_.begin(with_.api->send(request.target, always(request), [this](const reply& reply) {
        work_.end();
        const bool is_there = reply.verdict == verdict::good;
        if (!is_there && reply.verdict != verdict::missing) note_failure(reply.why);
        conclude(is_there ? read_full_pools(reply.answer.response.body) : std::vector<full_pool>());
    }));
}

void capacity_reader::conclude(const std::vector<full_pool>& pools) {
    show_failure();
    take_(judge_pods(pods_, verdicts_, pools, with_.loop->wall_ms(), with_.settings.start_ms));
}

void capacity_reader::show_failure() {
    if (message_ != failure_ && !failure_.empty())
        runtime::log(runtime::log_level::info, "the state of nodes for waiting pods is incomplete: " + failure_);
    message_ = failure_;
}

void capacity_reader::note_failure(const error& why) {
    if (failure_.empty()) failure_ = why.message;
}

}  // namespace gputide::kubernetes
