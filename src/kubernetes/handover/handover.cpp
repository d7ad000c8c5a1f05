#include "kubernetes/handover/handover.hpp"

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "kube/answer.hpp"
#include "kubernetes/api/resources.hpp"
#include "kubernetes/watch/list.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gputide::kubernetes {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t poll_ms = 500;
constexpr std::int64_t max_per_request_ms = 10'000;
constexpr std::int64_t max_list_ms = 60'000;  // for all pages of the list
constexpr std::int64_t conflict_ms = 100;
constexpr std::int64_t throttled_ms = 1'000;  // if the server names no delay

endpoint autoscalers_in(const std::string& name_space) {
    endpoint out = known_resource("autoscaling", "v2", "horizontalpodautoscalers").collection(name_space);
    out.verb = "list";
    return out;
}

class handing_over final : public http::operation<handover_outcome> {
  public:
    handing_over(std::shared_ptr<api> api, handover_change change, std::int64_t deadline_ms,
                 callback<void(handover_outcome)> done, handover_listener on_step)
        : operation(api->loop(), deadline_ms, std::move(done)),
          api_(std::move(api)),
          change_(std::move(change)),
          on_step_(std::move(on_step)),
          stepped_ms_(loop().steady_ms()) {}

    void look() {
        send(kedas("scaledobjects").object(change_.object, "get"), {},
             [self = self()](const reply& reply) { self->see(reply); });
    }

  private:
    std::shared_ptr<handing_over> self() { return std::static_pointer_cast<handing_over>(shared_from_this()); }

    void send(endpoint target, const std::string& patch, callback<void(reply)> done) {
        const auto timeout_ms = std::clamp<std::int64_t>(deadline_ms() - loop().steady_ms(), 1, max_per_request_ms);
        api_request request;
        if (patch.empty()) {
            request.target = std::move(target);
            request.timeout_ms = timeout_ms;
        } else {
            request = merge_patch(std::move(target), patch, timeout_ms);
        }
        carry(api_->send(request.target, api_->in_time(request), std::move(done)));
    }

    void see(const reply& reply) {
        const endpoint asked = kedas("scaledobjects").object(change_.object, "get");
        result<void> read =
            kube::read_object(reply.answer, asked, "ScaledObject", [&](dom::object root) -> result<void> {
                seen_ = read_handover_view(root);
                return {};
            });
        if (!read) return stumble(reply.verdict, read.take_failure());
        list_hpas();
    }

    void list_hpas() {
        const auto take = [self = self(), without = seen_](const page& page, const std::string& body) {
            if (page.is_first) self->seen_ = without;
            result<void> out;
            read_items(
                page, body, [&](dom::object hpa) { add_hpa(read_autoscaler(hpa), self->seen_); },
                [&](const unreadable_object& hpa) { out = unknown_hpa(hpa); });
            return out;
        };
        carry(list_pages(api_, autoscalers_in(change_.object.name_space),
                         std::min(deadline_ms(), loop().steady_ms() + max_list_ms), take,
                         [self = self()](result<void> read) {
                             if (!read) return self->stumble(verdict::failed, read.take_failure());
                             self->out_.why = error(status::ok);
                             self->follow(next_of(self->change_, self->seen_, self->is_settled_));
                         }));
    }

    static error unknown_hpa(const unreadable_object& hpa) {
        return fail(error_class::not_json, "it is unknown whether the HPA {} scales the target: {}", hpa.key.text(),
                    hpa.why);
    }

    // Retries if the failure may be temporary; otherwise ends the handover.
    void stumble(kubernetes::verdict what, error why) {
        out_.why = std::move(why);
        const bool passes =
            what == verdict::throttled || what == verdict::unknown || what == verdict::conflict || out_.why.retryable;
        if (!passes) return fail_with();
        out_.message = out_.why.message;
        again_after(what == verdict::conflict ? conflict_ms : std::max(requested_delay_ms(out_.why), throttled_ms));
    }

    void fail_with() {
        out_.result = handover_result::failed;
        out_.message = out_.why.message;
        out_.remedy = way_on();
        finish_soon(out_);
    }

    void follow(const next_handover& next) {
        if (next.move == handover_move::refuse) return conclude(handover_result::refused, next);
        reach(next.step, next.move == handover_move::needless);
        if (next.move == handover_move::done || next.move == handover_move::needless)
            return conclude(handover_result::done, next);
        if (change_.dry) return plan_from(next.step);
        was_seen_ = true;
        here_ = next.step;
        here().state = step_state::waiting;
        out_.message = next.message;
        out_.remedy = next.remedy;
        if (next.move == handover_move::write) return write(next);
        tell_wait(next);
        next.move == handover_move::wait ? again_after(poll_ms) : settle();
    }

    handover_outcome::step& here() { return out_.steps[here_]; }

    // Reports a waiting step once, although it is checked repeatedly.
    void tell_wait(const next_handover& next) {
        if (!on_step_ || std::exchange(waited_for_, next.step) == next.step) return;
        on_step_(next.step, {step_state::waiting, 0, next.message});
    }

    // Reports the steps before `reached`: as was_done if they were done before the first check, otherwise as done.
    void reach(std::size_t reached, bool is_needless) {
        for (std::size_t i = 0; i < reached; ++i) {
            handover_outcome::step& step = out_.steps[i];
            if (step.state == step_state::done || step.state == step_state::was_done) continue;
            step.state = is_needless ? step_state::not_needed : was_seen_ ? step_state::done : step_state::was_done;
            const std::int64_t now_ms = loop().steady_ms();
            if (was_seen_) step.took_ms = now_ms - std::exchange(stepped_ms_, now_ms);
            if (on_step_) on_step_(i, step);
        }
    }

    void plan_from(std::size_t step) {
        for (std::size_t i = step; i < handover_steps; ++i) out_.steps[i].state = step_state::planned;
        out_.result = handover_result::planned;
        out_.message = "nothing was written";
        finish_soon(out_);
    }

    void conclude(handover_result result, const next_handover& next) {
        out_.result = result;
        out_.message = next.message;
        out_.remedy = next.remedy;
        if (result == handover_result::refused && was_seen_) out_.remedy += "; " + way_on();
        finish_soon(out_);
    }

    void again_after(std::int64_t pause_ms) {
        if (loop().steady_ms() + pause_ms < deadline_ms()) return after(pause_ms, [self = self()] { self->look(); });
        out_.result = handover_result::waiting;
        out_.message += "; the deadline has passed";
        append_item(out_.remedy, way_on(), " ");
        finish_soon(out_);
    }

    std::string way_on() const {
        const bool adopts = change_.to == handover_side::gputide;
        return format_text("To continue, run the same command again; to go back, run gputided {} {}.",
                           adopts ? "release" : "adopt", change_.object.text());
    }

    // Writes the annotations.  Delays a repeated write, because another writer reverts it: a tool that applies manifests, or a
    // webhook.
    void write(const next_handover& next) {
        if (!written_[next.step]) return patch(next);
        out_.message = "another writer reverts the change";
        out_.remedy =
            "A tool that applies this ScaledObject's manifest, or a webhook, reverts the annotation: change the "
            "annotation there.";
        if (loop().steady_ms() + poll_ms >= deadline_ms()) return again_after(poll_ms);
        after(poll_ms, [self = self(), next] { self->patch(next); });
    }

    // Sends the patch, then reads the object again.  After a 409 or an unknown result the object shows whether the patch was
    // applied.
    void patch(const next_handover& next) {
        send(kedas("scaledobjects").object(change_.object, "patch"), next.patch,
             [self = self(), next](const reply& reply) {
                 if (reply.verdict != verdict::good) return self->stumble(reply.verdict, reply.why);
                 self->written_[next.step] = true;
                 self->look();
             });
    }

    // Waits as long as a write of gputide can take, because a write that started before the change may still be in progress.
    // compare() repeats this if the size changed meanwhile.
    void settle() {
        read_size([self = self()](std::optional<std::int32_t> before) {
            if (self->loop().steady_ms() + self->change_.write_ms >= self->deadline_ms()) {
                self->out_.message = "a write by gputide may still be in progress";
                return self->again_after(self->change_.write_ms);
            }
            self->after(self->change_.write_ms, [self, before] {
                self->read_size([self, before](std::optional<std::int32_t> now) { self->compare(before, now); });
            });
        });
    }

    void compare(std::optional<std::int32_t> before, std::optional<std::int32_t> now) {
        is_settled_ = before == now;
        here().message =
            format_text("waited {} s, the longest that a write by gputide takes", change_.write_ms / 1'000);
        if (now && is_settled_) here().message += format_text("; the replicas stayed at {}", *now);
        if (!now) here().message += "; the replicas could not be read";
        look();
    }

    // Reads the replicas of the target in KEDA's status.  Gives nothing if the status has no target or the scale cannot be read.
    void read_size(callback<void(std::optional<std::int32_t>)> done) {
        const resource& target = seen_.status.target;  // written by KEDA
        if (target.plural.empty()) return after(0, [done = std::move(done)] { done(std::nullopt); });
        const endpoint asked = target.scale({change_.object.name_space, seen_.target.name}, "get");
        send(asked, {}, [asked, done = std::move(done)](const reply& reply) {
            const auto scale = kube::read_scale(reply.answer, asked);
            done(scale ? std::optional(scale->spec_replicas) : std::nullopt);
        });
    }

    const std::shared_ptr<api> api_;
    const handover_change change_;
    const handover_listener on_step_;
    handover_outcome out_;
    handover_view seen_;
    std::size_t here_ = 0;
    std::optional<std::size_t> waited_for_;  // the step that was last reported as waiting
    std::array<bool, handover_steps> written_{};
    std::int64_t stepped_ms_;  // when the last step was completed
    bool was_seen_ = false;
    bool is_settled_ = false;
};

}  // namespace

std::shared_ptr<http::exchange> hand_over(std::shared_ptr<api> api, handover_change change, std::int64_t deadline_ms,
                                          callback<void(handover_outcome)> done, handover_listener on_step) {
    auto out = std::make_shared<handing_over>(std::move(api), std::move(change), deadline_ms, std::move(done),
                                              std::move(on_step));
    out->look();
    return out;
}

namespace {

void write_step_json(json_writer& out, const handover_change& change, std::size_t step,
                     const handover_outcome::step& as_it_stands) {
    static constexpr std::array<const char*, 6> states{"not_reached", "was_done", "done",
                                                       "planned",     "waiting",  "not_needed"};
    out.member("step", handover_step_names(change.to)[step]);
    out.member("state", states[static_cast<std::size_t>(as_it_stands.state)]).member("took_ms", as_it_stands.took_ms);
    out.member("message", as_it_stands.message);
}

}  // namespace

std::string outcome_json(const handover_change& change, const handover_outcome& outcome) {
    static constexpr std::array<const char*, 5> results{"done", "planned", "waiting", "refused", "failed"};
    json_writer out;
    out.begin_object().member("namespace", change.object.name_space).member("name", change.object.name);
    out.member("to", handover_side_name(change.to)).member("owner", change.owner).member("dry", change.dry);
    out.member("result", results[static_cast<std::size_t>(outcome.result)]);
    out.member("message", outcome.message).member("remedy", outcome.remedy);
    out.member("status", status_name(outcome.why.status)).key("steps").begin_array();
    for (std::size_t i = 0; i < handover_steps; ++i) {
        out.begin_object();
        write_step_json(out, change, i, outcome.steps[i]);
        out.end_object();
    }
    return out.end_array().end_object().take();
}

std::string step_json(const handover_change& change, std::size_t step, const handover_outcome::step& as_it_stands) {
    json_writer out;
    out.begin_object().member("handover", change.object.text());
    write_step_json(out, change, step, as_it_stands);
    return out.end_object().take();
}

}  // namespace gputide::kubernetes
