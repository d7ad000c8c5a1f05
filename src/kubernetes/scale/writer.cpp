#include "kubernetes/scale/writer.hpp"

#include "base/json_writer.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int32_t max_puts = 3;
constexpr std::int64_t first_pause_ms = 50;  // doubled each time

// Always writes spec.replicas, because the server reads a missing value as 0.  With uid and resourceVersion, a workload that was
// recreated or changed meanwhile causes a 409.
std::string body_of(const kube::scale& seen, const std::string& name_space, const std::string& name,
                    std::int32_t replicas) {
    json_writer out;
    out.begin_object().member("kind", "Scale").member("apiVersion", "autoscaling/v1").key("metadata").begin_object();
    out.member("name", name).member("namespace", name_space);
    if (!seen.uid.empty()) out.member("uid", seen.uid);
    out.member("resourceVersion", seen.resource_version).end_object();
    out.key("spec").begin_object().member("replicas", replicas).end_object();
    return out.end_object().take();
}

}  // namespace

const char* write_result_name(write_result write_result) noexcept {
    static constexpr std::array<const char*, write_results> names{
        "applied", "changed", "conflict", "held", "refused", "denied", "throttled", "failed", "no_lead", "late"};
    return names[static_cast<std::size_t>(write_result)];
}

write_plan::write_plan(wanted_size wanted, std::string name_space, std::string name)
    : wanted_(std::move(wanted)), name_space_(std::move(name_space)), name_(std::move(name)) {}

next_write write_plan::end(write_result write_result) const {
    next_write out = seen_;
    out.step = write_step::done;
    out.result = write_result;
    return out;
}

next_write write_plan::again() {
    next_write out = seen_;
    out.step = write_step::read;
    out.after_ms = first_pause_ms << (puts_ - 1);
    return out;
}

write_result write_plan::failure_of(const reply& reply) {
    switch (reply.verdict) {
        case verdict::missing:
            return write_result::held;
        case verdict::refused:
            return write_result::refused;
        case verdict::denied:
            return write_result::denied;
        case verdict::throttled:
            return write_result::throttled;
        default:
            return write_result::failed;
    }
}

next_write write_plan::begin(bool leads) {
    if (!leads) return end(write_result::no_lead);
    next_write out;
    out.step = write_step::read;
    return out;
}

// Takes the read scale.  Writes only if the size is still the one that the decision saw, and only over a known resourceVersion:
// otherwise the write could undo a change of another controller.
next_write write_plan::read_came(const reply& reply, const result<kube::scale>& scale, bool leads) {
    if (reply.verdict != verdict::good) return end(failure_of(reply));
    if (!scale || scale->resource_version.empty()) return end(write_result::failed);
    seen_.saw_size = true;
    seen_.size = scale->spec_replicas;
    seen_.resource_version = scale->resource_version;
    const bool is_same = wanted_.uid.empty() || scale->uid.empty() || wanted_.uid == scale->uid;
    if (is_same && is_open_ && scale->spec_replicas == wanted_.to) return end(write_result::applied);
    if (!is_same || scale->spec_replicas != wanted_.from) return end(write_result::changed);
    if (puts_ == max_puts) return end(is_open_ ? write_result::failed : write_result::conflict);
    if (!leads) return end(write_result::no_lead);
    ++puts_;
    next_write out = seen_;
    out.step = write_step::put;
    out.body = body_of(*scale, name_space_, name_, wanted_.to);
    return out;
}

next_write write_plan::put_came(const reply& reply, const result<kube::scale>& scale, bool leads) {
    if (reply.verdict == verdict::good) {
        seen_.saw_size = true;
        seen_.size = wanted_.to;
        if (scale) seen_.resource_version = scale->resource_version;
        return end(leads ? write_result::applied : write_result::late);
    }
    if (reply.verdict == verdict::conflict) return again();
    if (reply.verdict == verdict::unknown) {
        is_open_ = true;
        return again();
    }
    return end(failure_of(reply));
}

namespace {

constexpr std::int64_t read_timeout_ms = 5'000;
constexpr const char* field_manager = "?fieldManager=gputide";

error without_version(const endpoint& target) {
    return fail(error_class::shape,
                "{}: the response has no metadata.resourceVersion, which protects changes of other controllers; "
                "nothing was written; check for a proxy that changes the API server's responses",
                target.resource);
}

class writing final : public api_operation<written> {
  public:
    writing(std::shared_ptr<api> api, resource resource, object_key target, wanted_size wanted, write_guard guard,
            callback<void(written)> done)
        : api_operation(api->loop(), std::move(done)),
          api_(std::move(api)),
          resource_(std::move(resource)),
          target_(std::move(target)),
          plan_(std::move(wanted), target_.name_space, target_.name),
          guard_(std::move(guard)) {
        out_.why = error(status::ok);
    }

    void start() { follow(plan_.begin(guard_.may_write())); }

  private:
    std::shared_ptr<writing> self() { return std::static_pointer_cast<writing>(shared_from_this()); }

    void follow(const next_write& next) {
        if (next.step == write_step::done) return conclude(next);
        pause(next.after_ms, [self = self(), next] { next.step == write_step::read ? self->read() : self->put(next); });
    }

    void read() {
        ++out_.gets;
        api_request request;
        request.target = resource_.scale(target_, "get");
        request.timeout_ms = read_timeout_ms;
        carry_request(
            api_->send(request.target, always(request), [self = self(), target = request.target](const reply& reply) {
                self->out_.why = reply.why;
                const auto scale = kube::read_scale(reply.answer, target);
                if (reply.verdict == verdict::good && !scale) self->out_.why = scale.failure();
                if (scale && scale->resource_version.empty()) self->out_.why = without_version(target);
                self->follow(self->plan_.read_came(reply, scale, self->guard_.may_write()));
            }));
    }

    void give_up(next_write last, write_result why) {
        last.result = why;
        conclude(last);
    }

    void put(const next_write& next) {
        const endpoint target = resource_.scale(target_, "update");
        carry_request(api_->send(
            target, [self = self(), target, next] { return self->put_request(target, next); },
            [self = self(), target, next](const reply& reply) {
                if (reply.verdict == verdict::unsent) return self->give_up(next, *self->why_unsent_);
                self->out_.why = reply.why;
                if (reply.verdict == verdict::conflict) ++self->out_.conflicts;
                const auto scale = kube::read_scale(reply.answer, target);
                self->follow(self->plan_.put_came(reply, scale, self->guard_.may_write()));
            }));
    }

    // Creates the PUT.  Checks the guard once more, because the previous loop iteration may be long ago.
    std::optional<api_request> put_request(const endpoint& target, const next_write& next) {
        why_unsent_.reset();
        if (!guard_.may_write()) {
            why_unsent_ = write_result::no_lead;
        } else if (guard_.is_wanted && !guard_.is_wanted()) {
            why_unsent_ = write_result::changed;
        }
        if (why_unsent_) return std::nullopt;
        ++out_.puts;
        api_request out;
        out.target = target;
        out.target.query = field_manager;
        out.method = "PUT";
        out.body = next.body;
        out.timeout_ms = guard_.write_ms;
        return out;
    }

    void conclude(const next_write& last) {
        out_.result = last.result;
        out_.saw_size = last.saw_size;
        out_.size = last.size;
        out_.resource_version = last.resource_version;
        end_soon(out_);
    }

    const std::shared_ptr<api> api_;
    const resource resource_;
    const object_key target_;
    write_plan plan_;
    const write_guard guard_;
    std::optional<write_result> why_unsent_;  // of the last put; empty: it was sent
    written out_;
};

}  // namespace

std::shared_ptr<api_operation<written>> write_scale(const std::shared_ptr<api>& api, const resource& resource,
                                                    const object_key& target, wanted_size wanted, write_guard guard,
                                                    callback<void(written)> done) {
    auto out = std::make_shared<writing>(api, resource, target, std::move(wanted), std::move(guard), std::move(done));
    out->start();
    return out;
}

}  // namespace gputide::kubernetes
