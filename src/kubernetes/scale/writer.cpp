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
std::string body_of(const kube::scale& seen, const object_key& target, std::int32_t replicas) {
    json_writer out;
    out.begin_object().member("kind", "Scale").member("apiVersion", "autoscaling/v1").key("metadata").begin_object();
    out.member("name", target.name).member("namespace", target.name_space);
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

namespace {

constexpr std::int64_t read_timeout_ms = 5'000;

write_result failure_of(verdict verdict) {
    switch (verdict) {
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
          wanted_(std::move(wanted)),
          guard_(std::move(guard)) {
        out_.why = error(status::ok);
    }

    void start() {
        if (!guard_.may_write()) return end(write_result::no_lead);
        read_after(0);
    }

  private:
    std::shared_ptr<writing> self() { return std::static_pointer_cast<writing>(shared_from_this()); }

    void end(write_result result) {
        out_.result = result;
        end_soon(out_);
    }

    void read_after(std::int64_t delay_ms) {
        pause(delay_ms, [self = self()] { self->read(); });
    }

    void read() {
        ++out_.gets;
        api_request request;
        request.target = resource_.scale(target_, "get");
        request.timeout_ms = read_timeout_ms;
        carry_request(api_->send(
            request, [self = self(), target = request.target](const reply& reply) { self->read_came(reply, target); }));
    }

    // Takes the read scale.  Writes only if the size is still the one that the decision saw, if it saw any, and only over a
    // known resourceVersion: otherwise the write could undo a change of another controller.
    void read_came(const reply& reply, const endpoint& target) {
        out_.why = reply.why;
        if (reply.verdict != verdict::good) return end(failure_of(reply.verdict));
        const auto scale = kube::read_scale(reply.answer, target);
        if (!scale || scale->resource_version.empty()) {
            out_.why = scale ? without_version(target) : scale.failure();
            return end(write_result::failed);
        }
        saw(scale->spec_replicas, scale->resource_version);
        const bool is_same = wanted_.uid.empty() || scale->uid.empty() || wanted_.uid == scale->uid;
        const bool may_be_done = is_open_ || !wanted_.from;
        if (is_same && may_be_done && scale->spec_replicas == wanted_.to) return end(write_result::applied);
        if (!is_same || (wanted_.from && *wanted_.from != scale->spec_replicas)) return end(write_result::changed);
        if (tries_ == max_puts) return end(is_open_ ? write_result::failed : write_result::conflict);
        if (!guard_.may_write()) return end(write_result::no_lead);
        pause(0, [self = self(), body = body_of(*scale, target_, wanted_.to)] { self->put(body); });
    }

    void put(const std::string& body) {
        ++tries_;
        const endpoint target = resource_.scale(target_, "update");
        carry_request(api_->send(
            target, [self = self(), target, body] { return self->put_request(target, body); },
            [self = self(), target](const reply& reply) { self->put_came(reply, target); }));
    }

    // Creates the PUT.  Checks the guard once more, because the previous loop iteration may be long ago.
    std::optional<api_request> put_request(const endpoint& target, const std::string& body) {
        const bool leads = guard_.may_write();
        why_unsent_ = leads ? write_result::changed : write_result::no_lead;
        if (!leads || (guard_.is_wanted && !guard_.is_wanted())) return std::nullopt;
        ++out_.puts;
        api_request out;
        out.target = target;
        out.target.query = "?fieldManager=gputide";
        out.method = "PUT";
        out.body = body;
        out.timeout_ms = guard_.write_ms;
        return out;
    }

    void put_came(const reply& reply, const endpoint& target) {
        if (reply.verdict == verdict::unsent) return end(why_unsent_);
        out_.why = reply.why;
        if (reply.verdict == verdict::good) {
            const auto scale = kube::read_scale(reply.answer, target);
            saw(wanted_.to, scale ? scale->resource_version : out_.resource_version);
            return end(guard_.may_write() ? write_result::applied : write_result::late);
        }
        if (reply.verdict == verdict::conflict) ++out_.conflicts;
        if (reply.verdict == verdict::unknown) is_open_ = true;
        const bool is_repeated = reply.verdict == verdict::conflict || reply.verdict == verdict::unknown;
        is_repeated ? read_after(first_pause_ms << (tries_ - 1)) : end(failure_of(reply.verdict));
    }

    void saw(std::int32_t size, const std::string& resource_version) {
        out_.saw_size = true;
        out_.size = size;
        out_.resource_version = resource_version;
    }

    const std::shared_ptr<api> api_;
    const resource resource_;
    const object_key target_;
    const wanted_size wanted_;
    const write_guard guard_;
    std::int32_t tries_ = 0;                           // puts that were begun; without memory one may be made again
    bool is_open_ = false;                             // the result of an earlier put is unknown
    write_result why_unsent_ = write_result::no_lead;  // of the last put, if it was not sent
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
