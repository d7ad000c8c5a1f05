#include "kubernetes/scale/writer.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace gputide::kubernetes {
namespace {

constexpr std::int64_t read_timeout_ms = 5'000;
constexpr const char* field_manager = "?fieldManager=gputide";

error without_version(const endpoint& target) {
    return fail(error_class::shape,
                target.resource +
                    ": the response has no metadata.resourceVersion, without which a write could undo "
                    "that of another controller; nothing was written; check what answers for the API server");
}

class writing final : public api_operation<written> {
  public:
    writing(std::shared_ptr<const api> api, resource resource, object_key target, wanted_size wanted, write_guard guard,
            std::function<void(written)> done)
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

    // The guard is asked once more: the turn of the loop before this one may have been long ago.
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

    const std::shared_ptr<const api> api_;
    const resource resource_;
    const object_key target_;
    write_plan plan_;
    const write_guard guard_;
    std::optional<write_result> why_unsent_;  // of the last put; nothing: it was sent
    written out_;
};

}  // namespace

std::shared_ptr<api_operation<written>> write_scale(const std::shared_ptr<const api>& api, const resource& resource,
                                                    const object_key& target, wanted_size wanted, write_guard guard,
                                                    std::function<void(written)> done) {
    auto out = std::make_shared<writing>(api, resource, target, std::move(wanted), std::move(guard), std::move(done));
    out->start();
    return out;
}

}  // namespace gputide::kubernetes
