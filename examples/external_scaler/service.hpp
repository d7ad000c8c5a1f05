// KEDA's questions, answered from policies.hpp's memory.
#pragma once

#include "externalscaler.grpc.pb.h"
#include "policies.hpp"

#include <cstdint>
#include <grpcpp/grpcpp.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace external_scaler {

class active_stream;

class service final : public externalscaler::ExternalScaler::CallbackService {
  public:
    // An answer is not made of a decision that is older.
    explicit service(std::int64_t max_age_ms) : max_age_ms_(max_age_ms) {}

    void serve(const policies& from) { from_ = &from; }  // before the first call
    void decided(const std::string& name, const standing& now);
    void end_streams();  // with OK, so that KEDA comes again soon; none begins afterwards

    grpc::ServerUnaryReactor* IsActive(grpc::CallbackServerContext* context,
                                       const externalscaler::ScaledObjectRef* request,
                                       externalscaler::IsActiveResponse* response) override;
    grpc::ServerWriteReactor<externalscaler::IsActiveResponse>* StreamIsActive(
        grpc::CallbackServerContext* context, const externalscaler::ScaledObjectRef* request) override;
    grpc::ServerUnaryReactor* GetMetricSpec(grpc::CallbackServerContext* context,
                                            const externalscaler::ScaledObjectRef* request,
                                            externalscaler::GetMetricSpecResponse* response) override;
    grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context,
                                         const externalscaler::GetMetricsRequest* request,
                                         externalscaler::GetMetricsResponse* response) override;

  private:
    grpc::Status look_up(const externalscaler::ScaledObjectRef& asked, std::string& name, standing& found) const;
    grpc::Status usable(const externalscaler::ScaledObjectRef& asked, standing& found) const;

    const std::int64_t max_age_ms_;
    const policies* from_ = nullptr;
    std::mutex lock_;
    bool is_ending_ = false;
    std::multimap<std::string, std::weak_ptr<active_stream>> streams_;  // by policy
};

}  // namespace external_scaler
