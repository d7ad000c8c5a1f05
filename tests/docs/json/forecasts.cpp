// A forecast that has learned for two days, and one after a slot without a reading.
#include "texts.hpp"

void show_forecasts() {
    gputide::forecast one = gputide::forecast::open(R"({"warmup_ms":3600000})");
    show("forecast_describe", one.describe());
    for (int minute = 0; minute < 2 * 1440; ++minute) {
        one.step(start_ms + minute * 60'000, minute % 60 < 10 ? 100 : 20);
        one.book(one.ask(5, 4, 4, 40).replicas, 4);
    }
    show("forecast_describe", one.describe());
    show("forecast_describe", gputide::forecast::open(R"({"budget_percent":null})").describe());
}
