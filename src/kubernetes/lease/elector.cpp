// Decides the next step for a Lease, then carries it out over the network.
#include "kubernetes/lease/elector.hpp"

#include "base/checksum.hpp"
#include "base/json_writer.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <utility>

namespace gputide::kubernetes {
namespace {

// Maximum delay until a standby notices a released Lease or a new holder.
constexpr std::int64_t standby_retry_ms = 1'000;
constexpr std::int64_t longest_jitter_ms = 1'000;
constexpr std::int64_t us_per_ms = 1'000;

// Formats a MicroTime with exactly six fractional digits; the API server rejects any other number.
std::string micro_time(std::int64_t us) {
    std::string out = format_rfc3339_ms(us / us_per_ms);
    const std::string rest = std::to_string(us_per_ms + us % us_per_ms).substr(1);
    out.insert(out.size() - 1, rest);
    return out;
}

bool same_record(const kube::lease& a, const kube::lease& b) {
    return a.holder == b.holder && a.duration_s == b.duration_s && a.acquire_time_us == b.acquire_time_us &&
           a.renew_time_us == b.renew_time_us && a.transitions == b.transitions && a.shards == b.shards;
}

}  // namespace

api_request lease_plan::read() const {
    api_request out;
    out.target = lease();
    out.timeout_ms = settings_.renew_deadline_ms() / 2;  // as in client-go: a second attempt is possible in time
    return out;
}

api_request lease_plan::write(const std::string& holder, std::int64_t duration_ms, std::int64_t acquired_us,
                              std::int64_t transitions, const std::string& version, std::int64_t wall_ms) const {
    const bool is_new = version.empty();
    json_writer body;
    body.begin_object().member("apiVersion", "coordination.k8s.io/v1").member("kind", "Lease");
    body.key("metadata").begin_object().member("name", settings_.name).member("namespace", settings_.name_space);
    if (!is_new) body.member("resourceVersion", version);
    body.key("annotations").begin_object();
    body.member(kube::shards_annotation, std::to_string(settings_.shards)).end_object();
    body.end_object().key("spec").begin_object().member("holderIdentity", holder);
    body.member("leaseDurationSeconds", std::max<std::int64_t>(1, duration_ms / 1'000));
    body.member("acquireTime", micro_time(acquired_us)).member("renewTime", micro_time(wall_ms * us_per_ms));
    body.member("leaseTransitions", transitions).end_object();
    api_request out = read();
    out.body = body.end_object().take();
    out.method = is_new ? "POST" : "PUT";
    out.target.verb = is_new ? "create" : "update";
    if (is_new) out.target.path.resize(out.target.path.rfind('/'));
    return out;
}

api_request lease_plan::attempt(std::int64_t now_ms, std::int64_t wall_ms) const {
    const bool still_ours =
        holds_ && !is_stale_ && record_.holder == settings_.identity && now_ms - observed_ms_ < settings_.duration_ms;
    if (!still_ours) return read();
    return write(settings_.identity, settings_.duration_ms, record_.acquire_time_us, record_.transitions,
                 record_.resource_version, wall_ms);
}

// Returns the write that acquires the Lease.  Keeps acquireTime if the holder is an earlier process of the same name.
api_request lease_plan::take_over(std::int64_t wall_ms) const {
    const bool was_ours = record_.holder == settings_.identity && record_.acquire_time_us != 0;
    return write(settings_.identity, settings_.duration_ms, was_ours ? record_.acquire_time_us : wall_ms * us_per_ms,
                 was_ours ? record_.transitions : record_.transitions + 1, record_.resource_version, wall_ms);
}

void lease_plan::observe(const kube::lease& seen, std::int64_t now_ms) {
    if (!is_observed_ || !same_record(seen, record_)) observed_ms_ = now_ms;
    is_observed_ = true;
    is_stale_ = false;
    seen_ms_ = now_ms;
    record_ = seen;
}

std::optional<api_request> lease_plan::read_came(const reply& reply, const std::optional<kube::lease>& record,
                                                 std::int64_t now_ms, std::int64_t wall_ms) {
    if (reply.verdict == verdict::missing) {
        return write(settings_.identity, settings_.duration_ms, wall_ms * us_per_ms, 0, {}, wall_ms);
    }
    if (reply.verdict != verdict::good || !record) return std::nullopt;
    observe(*record, now_ms);
    const bool is_anothers = !record_.holder.empty() && record_.holder != settings_.identity;
    if (is_anothers) holds_ = false;
    if (is_anothers && now_ms < observed_ms_ + record_.duration_s * 1'000) return std::nullopt;
    return take_over(wall_ms);
}

// Counts the renewal from the time of sending, because the server may have applied it immediately.
void lease_plan::wrote(const reply& reply, const std::optional<kube::lease>& record, std::int64_t sent_ms) {
    if (reply.verdict != verdict::good || !record || record->holder != settings_.identity) {
        if (reply.verdict == verdict::conflict)
            is_stale_ = true;  // another process has written: read the Lease before the next attempt
        return;
    }
    const bool was_otherwise = is_observed_ && !record_.shards.empty() && record_.shards != record->shards;
    if (was_otherwise) quiet_until_ms_ = sent_ms + settings_.duration_ms;
    observe(*record, sent_ms);
    observed_ms_ = sent_ms;
    renewed_ms_ = sent_ms;
    holds_ = true;
}

api_request lease_plan::release(const kube::lease& record, std::int64_t wall_ms) const {
    api_request out = write({}, 1'000, wall_ms * us_per_ms, record.transitions, record.resource_version, wall_ms);
    out.timeout_ms = settings_.write_ms();
    return out;
}

bool lease_plan::holds(std::int64_t now_ms) const {
    return holds_ && now_ms < renewed_ms_ + settings_.renew_deadline_ms();
}

bool lease_plan::may_write(std::int64_t now_ms) const { return holds(now_ms + settings_.write_ms()); }

bool lease_plan::agrees(std::int64_t now_ms) const {
    const bool is_fresh = is_observed_ && now_ms < seen_ms_ + settings_.renew_deadline_ms();
    return is_fresh && now_ms >= quiet_until_ms_ && record_.shards == std::to_string(settings_.shards);
}

// Returns the delay until the next attempt.  A standby tries every second, and when the observed Lease expires.
std::int64_t lease_plan::wait_ms(std::int64_t now_ms, double uniform) const {
    if (holds(now_ms)) return settings_.retry_ms();
    const std::int64_t expiry_ms = observed_ms_ + record_.duration_s * 1'000;
    const auto jitter_ms = static_cast<std::int64_t>(static_cast<double>(longest_jitter_ms) * uniform);
    const bool waits = is_observed_ && expiry_ms > now_ms && !record_.holder.empty();
    return waits ? std::min(standby_retry_ms, expiry_ms - now_ms + jitter_ms) : standby_retry_ms / 2 + jitter_ms / 2;
}

namespace {

// Returns the Lease of a good response; sets `why` if the response cannot be read.  Rejects a Lease without resourceVersion,
// because an update would overwrite changes of other instances.
std::optional<kube::lease> lease_in(const reply& reply, const endpoint& endpoint, error& why) {
    if (reply.verdict != verdict::good) return std::nullopt;
    auto read = kube::read_lease(reply.answer, endpoint);
    if (read && read->resource_version.empty())
        read = fail(
            error_class::shape,
            "the Lease has no metadata.resourceVersion; check for a proxy that changes the API server's responses");
    if (read) return *std::move(read);
    why = read.take_failure();
    return std::nullopt;
}

}  // namespace

elector::elector(std::shared_ptr<api> api, lease_settings settings, const shard_leads& shards, bool is_first)
    : api_(std::move(api)), plan_(std::move(settings)), shards_(shards), is_first_(is_first), why_(status::ok) {}

void elector::stop() {
    is_ending_ = true;
    if (under_way_) under_way_->cancel();
    under_way_.reset();
    api_->loop().cancel(std::exchange(wait_, 0));
}

void elector::attempt() {
    if (!is_first_ && !shards_.agrees()) return again();
    send(plan_.attempt(now_ms(), api_->loop().wall_ms()));
}

void elector::after(std::int64_t wait_ms, callback<void()> next) {
    wait_ = api_->loop().after(wait_ms, while_alive(*this, [next = std::move(next)](const elector& here) {
                                   if (!here.is_ending_) next();
                               }));
}

void elector::send(const api_request& request) {
    const bool is_read = request.method == "GET";
    under_way_ = api_->send(
        request.target, api_->in_time(request),
        while_alive(*this, [is_read, asked = plan_.lease(), sent_ms = now_ms()](elector& here, const reply& reply) {
            if (here.is_ending_) return;
            here.why_ = reply.verdict == verdict::good ? error(status::ok) : reply.why;
            if (is_read) return here.take_read(reply, asked);
            here.plan_.wrote(reply, lease_in(reply, asked, here.why_), sent_ms);
            here.again();
        }));
}

// Takes a read Lease.  A missing Lease is not a failure: it will be created.
void elector::take_read(const reply& reply, const endpoint& endpoint) {
    if (reply.verdict == verdict::missing) why_ = error(status::ok);
    const auto next = plan_.read_came(reply, lease_in(reply, endpoint, why_), now_ms(), api_->loop().wall_ms());
    if (!next) return again();
    after(plan_.holds(now_ms()) ? 0 : shards_.hesitation_ms(), [this, request = *next] { send(request); });
}

void elector::again() {
    shards_.note_attempt();
    after(plan_.wait_ms(now_ms(), api_->loop().uniform()), [this] { attempt(); });
}

// Reads the Lease first: a renewal that stop() canceled may have changed its resourceVersion.
void elector::release(callback<void()> done) {
    const bool held = plan_.holds(now_ms());
    stop();
    plan_.released();
    if (!held) {
        api_->loop().after(0, std::move(done));
        return;
    }
    api_request request = plan_.read();
    request.timeout_ms = plan_.settings().write_ms();
    under_way_ = api_->send(
        request.target, api_->in_time(request),
        [self = shared_from_this(), asked = request.target, done = std::move(done)](const reply& reply) mutable {
            const auto record = lease_in(reply, asked, self->why_);
            if (!record || record->holder != self->plan_.settings().identity) return done();
            self->give_back(*record, std::move(done));
        });
}

void elector::give_back(const kube::lease& record, callback<void()> done) {
    const api_request what = plan_.release(record, api_->loop().wall_ms());
    under_way_ = api_->send(what.target, api_->in_time(what), [done = std::move(done)](const reply&) { done(); });
}

namespace {

// Delay per shard held, so that instances with fewer shards take a free Lease first.
constexpr std::int64_t hesitation_per_shard_ms = 100;
constexpr std::int64_t longest_hesitation_ms = 500;

}  // namespace

std::int32_t shard_of(const object_key& key, std::int32_t shards) {
    return static_cast<std::int32_t>(crc32c(key.text()) % static_cast<std::uint32_t>(shards));
}

std::string lease_name(const std::string& name, std::int32_t shard) {
    return shard == 0 ? name : name + "-" + std::to_string(shard);
}

shard_leads::shard_leads(const std::shared_ptr<api>& api, const lease_settings& settings, std::function<void()> changed)
    : settings_(settings), changed_(std::move(changed)) {
    for (std::int32_t shard = 0; shard < settings.shards; ++shard) {
        lease_settings its = settings;
        its.name = lease_name(settings.name, shard);
        electors_.push_back(std::make_shared<elector>(api, std::move(its), *this, shard == 0));
    }
}

void shard_leads::start() {
    for (const auto& each : electors_) each->start();
}

void shard_leads::stop() {
    for (const auto& each : electors_) each->stop();
}

void shard_leads::release(const std::function<void()>& done) {
    const auto left = std::make_shared<std::size_t>(electors_.size());
    for (const auto& each : electors_) {
        each->release([left, done] {
            if (--*left == 0) done();
        });
    }
}

bool shard_leads::agrees() const { return electors_.front()->agrees(); }

bool shard_leads::leads(std::int32_t shard) const {
    return electors_[static_cast<std::size_t>(shard)]->leads() && agrees();
}

bool shard_leads::may_write(const object_key& key) const {
    return electors_[static_cast<std::size_t>(shard_of(key, settings_.shards))]->may_write() && agrees();
}

std::int64_t shard_leads::hesitation_ms() const {
    return std::min(longest_hesitation_ms, hesitation_per_shard_ms * held());
}

std::int32_t shard_leads::held() const {
    return static_cast<std::int32_t>(std::ranges::count_if(electors_, [](const auto& each) { return each->leads(); }));
}

}  // namespace gputide::kubernetes
