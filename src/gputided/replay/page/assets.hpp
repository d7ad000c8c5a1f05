// uPlot as texts, "" in a build without it; CMake makes replay_assets.cpp of them.
#pragma once

namespace gputided::assets {

extern const char* const uplot_css;
extern const char* const uplot_js;

}  // namespace gputided::assets
