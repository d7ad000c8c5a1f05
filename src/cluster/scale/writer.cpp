#include "cluster/scale/writer.hpp"

#include <utility>

namespace gputide::cluster {
namespace {

constexpr std::int64_t read_timeout_ms = 5'000;
constexpr std::int64_t longest_ms = 60'000;
constexpr const char* field_manager = "?fieldManager=gputide";

error without_version(const endpoint& target) {
    return fail(error_class::shape,
                target.resource +
                    ": the response has no metadata.resourceVersion, without which a write could undo "
                    "that of another controller; nothing was written; check what answers for the API server");
}

class writing final : public http::operation<written> {
  public:
    writing(std::shared_ptr<const api> api, resource resource, object_key target, wanted_size wanted, write_guard guard,
            std::function<void(written)> done)
        : operation(api->loop(), api->loop().steady_ms() + longest_ms, std::move(done)),
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
        after(next.after_ms, [self = self(), next] { next.step == write_step::read ? self->read() : self->put(next); });
    }

    void read() {
        ++out_.gets;
        api_request request;
        request.target = resource_.scale(target_, "get");
        request.timeout_ms = read_timeout_ms;
        carry(api_->send(request, [self = self(), target = request.target](const reply& reply) {
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

    // Looked at once more: the turn of the loop before this one may have been long ago.
    void put(const next_write& next) {
        if (!guard_.may_write()) return give_up(next, write_result::no_lead);
        if (guard_.is_wanted && !guard_.is_wanted()) return give_up(next, write_result::changed);
        ++out_.puts;
        api_request request;
        request.target = resource_.scale(target_, "update");
        request.target.query = field_manager;
        request.method = "PUT";
        request.body = next.body;
        request.timeout_ms = guard_.write_ms;
        carry(api_->send(request, [self = self(), target = request.target](const reply& reply) {
            self->out_.why = reply.why;
            if (reply.verdict == verdict::conflict) ++self->out_.conflicts;
            self->follow(self->plan_.put_came(reply, kube::read_scale(reply.answer, target), self->guard_.may_write()));
        }));
    }

    void conclude(const next_write& last) {
        out_.result = last.result;
        out_.saw_size = last.saw_size;
        out_.size = last.size;
        out_.resource_version = last.resource_version;
        finish_soon(out_);
    }

    const std::shared_ptr<const api> api_;
    const resource resource_;
    const object_key target_;
    write_plan plan_;
    const write_guard guard_;
    written out_;
};

}  // namespace

std::shared_ptr<http::exchange> write_scale(const std::shared_ptr<const api>& api, const resource& resource,
                                            const object_key& target, wanted_size wanted, write_guard guard,
                                            std::function<void(written)> done) {
    auto out = std::make_shared<writing>(api, resource, target, std::move(wanted), std::move(guard), std::move(done));
    out->start();
    return out;
}

}  // namespace gputide::cluster
