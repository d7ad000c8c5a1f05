#include "service.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace external_scaler {
namespace {

using grpc::Status;
using grpc::StatusCode;

constexpr std::size_t max_name_bytes = 50;

// KEDA takes it as it is, and makes a part of a URL of it.
std::string metric_name(const std::string& policy) {
    std::string out = "gputide-" + policy.substr(policy.find('/') + 1);
    std::replace(out.begin(), out.end(), '.', '-');
    return out.substr(0, max_name_bytes);
}

grpc::ServerUnaryReactor* finished(grpc::CallbackServerContext* context, const Status& status) {
    grpc::ServerUnaryReactor* out = context->DefaultReactor();
    out->Finish(status);
    return out;
}

}  // namespace

// One StreamIsActive.  The state at once, each change, and `true` again with each decision.  It keeps itself until gRPC is done.
class active_stream final : public grpc::ServerWriteReactor<externalscaler::IsActiveResponse>,
                            public std::enable_shared_from_this<active_stream> {
  public:
    void keep() { self_ = shared_from_this(); }

    void tell(bool is_active) {
        {
            const std::lock_guard hold(lock_);
            if (wants_end_ || (last_sent_ == is_active && !is_active)) return;
            next_ = is_active;
            if (is_writing_) return;
            take_next();
        }
        StartWrite(&message_);
    }

    void end() { end_with(Status::OK); }
    void end_with(const Status& status) {
        {
            const std::lock_guard hold(lock_);
            if (std::exchange(wants_end_, true)) return;
            last_ = status;
            if (is_writing_) return;  // its end ends it
        }
        Finish(status);
    }

    void OnWriteDone(bool is_good) override {
        bool ends = false;
        {
            const std::lock_guard hold(lock_);
            is_writing_ = false;
            if (!is_good) wants_end_ = true;
            ends = wants_end_;
            if (!ends && !next_) return;
            if (!ends) take_next();
        }
        ends ? Finish(last_) : StartWrite(&message_);
    }
    void OnCancel() override { end(); }
    void OnDone() override { self_.reset(); }

  private:
    void take_next() {
        last_sent_ = *std::exchange(next_, std::nullopt);
        message_.set_result(*last_sent_);
        is_writing_ = true;
    }

    std::mutex lock_;
    externalscaler::IsActiveResponse message_;
    std::optional<bool> last_sent_, next_;
    bool is_writing_ = false, wants_end_ = false;
    Status last_;
    std::shared_ptr<active_stream> self_;
};

// The author of a ScaledObject chooses all of its metadata: it names a policy of its own namespace, and nothing else.
Status service::look_up(const externalscaler::ScaledObjectRef& asked, std::string& name, standing& found) const {
    const auto given = asked.scalermetadata().find("policy");
    const std::string policy = given == asked.scalermetadata().end() ? asked.name() : given->second;
    if (policy.empty() || policy.find('/') != std::string::npos) {
        return {StatusCode::INVALID_ARGUMENT, "policy: expected the name of a ScaledObject that this scaler was given"};
    }
    name = asked.namespace_() + "/" + policy;
    if (from_->find(name, found) == nullptr) {
        return {StatusCode::NOT_FOUND, "there is no policy " + name + ": start the scaler with its manifest (-f)"};
    }
    return Status::OK;
}

Status service::usable(const externalscaler::ScaledObjectRef& asked, standing& found) const {
    std::string name;
    if (Status no = look_up(asked, name, found); !no.ok()) return no;
    if (!found.is_decided) return {StatusCode::UNAVAILABLE, name + ": nothing was decided yet"};
    if (found.is_failing) return {StatusCode::UNAVAILABLE, name + ": a trigger cannot be read"};
    if (unix_now_ms() - found.decided_ms > max_age_ms_) {
        return {StatusCode::FAILED_PRECONDITION, name + ": the last decision is too old (--max-age-s)"};
    }
    return Status::OK;
}

void service::decided(const std::string& name, const standing& now) {
    std::vector<std::shared_ptr<active_stream>> streams;
    {
        const std::lock_guard hold(lock_);
        for (auto at = streams_.begin(); at != streams_.end();) {
            const auto stream = at->second.lock();
            if (stream && at->first == name) streams.push_back(stream);
            at = stream ? std::next(at) : streams_.erase(at);
        }
    }
    for (const auto& stream : streams) stream->tell(now.is_active);
}

void service::end_streams() {
    std::multimap<std::string, std::weak_ptr<active_stream>> all;
    {
        const std::lock_guard hold(lock_);
        is_ending_ = true;
        all.swap(streams_);
    }
    for (const auto& [name, value] : all) {
        if (const auto stream = value.lock()) stream->end();
    }
}

grpc::ServerUnaryReactor* service::IsActive(grpc::CallbackServerContext* context,
                                            const externalscaler::ScaledObjectRef* request,
                                            externalscaler::IsActiveResponse* response) {
    standing found;
    const Status status = usable(*request, found);
    response->set_result(found.is_active);
    return finished(context, status);
}

grpc::ServerWriteReactor<externalscaler::IsActiveResponse>* service::StreamIsActive(
    grpc::CallbackServerContext*, const externalscaler::ScaledObjectRef* request) {
    const auto stream = std::make_shared<active_stream>();
    stream->keep();
    std::string name;
    standing found;
    const Status status = look_up(*request, name, found);
    bool is_ending = false;
    if (status.ok()) {
        const std::lock_guard hold(lock_);
        is_ending = is_ending_;
        if (!is_ending) streams_.emplace(name, stream);
    }
    if (!status.ok() || is_ending) {
        stream->end_with(status);
    } else if (found.is_decided) {
        stream->tell(found.is_active);
    }
    return stream.get();
}

// The value is a number of replicas, and one of it is one replica.
grpc::ServerUnaryReactor* service::GetMetricSpec(grpc::CallbackServerContext* context,
                                                 const externalscaler::ScaledObjectRef* request,
                                                 externalscaler::GetMetricSpecResponse* response) {
    std::string name;
    standing found;
    const Status status = look_up(*request, name, found);
    if (status.ok()) {
        externalscaler::MetricSpec* spec = response->add_metricspecs();
        spec->set_metricname(metric_name(name));
        spec->set_targetsize(1);
        spec->set_targetsizefloat(1);
    }
    return finished(context, status);
}

grpc::ServerUnaryReactor* service::GetMetrics(grpc::CallbackServerContext* context,
                                              const externalscaler::GetMetricsRequest* request,
                                              externalscaler::GetMetricsResponse* response) {
    standing found;
    const Status status = usable(request->scaledobjectref(), found);
    if (status.ok()) {
        externalscaler::MetricValue* value = response->add_metricvalues();
        value->set_metricname(request->metricname());
        value->set_metricvalue(found.replicas);
        value->set_metricvaluefloat(found.replicas);
    }
    return finished(context, status);
}

}  // namespace external_scaler
