#pragma once

namespace exhaustion {

// The port that it listens on; it ends with this process.
int start_peer();

}  // namespace exhaustion
