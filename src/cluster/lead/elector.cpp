#include "cluster/lead/elector.hpp"

#include <utility>

namespace gputide::cluster {
namespace {

namespace k8s = source::kubernetes;

std::optional<k8s::lease> lease_in(const reply& got, const endpoint& asked) {
    if (got.verdict != verdict::good) return std::nullopt;
    auto read = k8s::read_lease(got.got, asked);
    if (!read) return std::nullopt;
    return *std::move(read);
}

}  // namespace

elector::elector(std::shared_ptr<const api> of, lease_settings settings, elector_rules rules)
    : api_(std::move(of)), plan_(std::move(settings)), rules_(std::move(rules)), why_(status::ok) {}

void elector::stop() {
    is_ending_ = true;
    if (under_way_) under_way_->cancel();
    under_way_.reset();
    api_->loop().cancel(std::exchange(wait_, 0));
}

void elector::attempt() {
    if (rules_.may_lead && !rules_.may_lead()) return again();
    send(plan_.attempt(now_ms(), api_->loop().wall_ms()));
}

void elector::send_after(std::int64_t wait_ms, lease_request what) {
    wait_ = api_->loop().after(wait_ms, [self = weak_from_this(), what = std::move(what)] {
        const auto here = self.lock();
        if (here && !here->is_ending_) here->send(what);
    });
}

void elector::send(const lease_request& what) {
    const lease_settings& mine = plan_.settings();
    api_request request;
    request.what = k8s::lease_of(mine.name_space, mine.name);
    request.timeout_ms = mine.renew_deadline_ms() / 2;  // client-go's, so that a second try is in time
    request.body = what.body;
    const endpoint asked = request.what;
    if (what.step == lease_step::post) {
        request.what.path = request.what.path.substr(0, request.what.path.rfind('/'));
        request.what.verb = "create";
        request.method = "POST";
    }
    if (what.step == lease_step::put) {
        request.what.verb = "update";
        request.method = "PUT";
    }
    const std::int64_t sent_ms = now_ms();
    under_way_ = api_->ask(request, [self = weak_from_this(), step = what.step, asked, sent_ms](const reply& got) {
        const auto here = self.lock();
        if (!here || here->is_ending_) return;
        here->why_ = got.verdict == verdict::good ? error(status::ok) : got.why;
        if (step == lease_step::get) return here->take_read(got, asked);
        here->plan_.wrote(got, lease_in(got, asked), sent_ms);
        here->again();
    });
}

// That it is not there yet is no failure.
void elector::take_read(const reply& got, const endpoint& asked) {
    if (got.verdict == verdict::missing) why_ = error(status::ok);
    const auto next = plan_.read_came(got, lease_in(got, asked), now_ms(), api_->loop().wall_ms());
    next ? send_after(plan_.holds(now_ms()) ? 0 : rules_.hesitation_ms(), *next) : again();
}

void elector::again() {
    rules_.changed();
    const std::int64_t wait_ms = plan_.wait_ms(now_ms(), api_->loop().uniform());
    wait_ = api_->loop().after(wait_ms, [self = weak_from_this()] {
        const auto here = self.lock();
        if (here && !here->is_ending_) here->attempt();
    });
}

// Read first: a renewal that was cut off just now may have moved the version on.
void elector::release(std::function<void()> done) {
    const bool held = plan_.holds(now_ms());
    stop();
    plan_.released();
    if (!held) {
        api_->loop().after(0, std::move(done));
        return;
    }
    api_request request;
    request.what = k8s::lease_of(plan_.settings().name_space, plan_.settings().name);
    request.timeout_ms = plan_.settings().write_ms();
    const endpoint asked = request.what;
    under_way_ = api_->ask(request, [self = shared_from_this(), asked, done = std::move(done)](const reply& got) {
        const auto record = lease_in(got, asked);
        if (!record || record->holder != self->plan_.settings().identity) return done();
        self->give_back(*record, done);
    });
}

void elector::give_back(const k8s::lease& record, std::function<void()> done) {
    api_request request;
    request.what = k8s::lease_of(plan_.settings().name_space, plan_.settings().name);
    request.what.verb = "update";
    request.method = "PUT";
    request.body = plan_.release(record, api_->loop().wall_ms()).body;
    request.timeout_ms = plan_.settings().write_ms();
    under_way_ = api_->ask(request, [done = std::move(done)](const reply&) { done(); });
}

}  // namespace gputide::cluster
