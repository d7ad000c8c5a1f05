# shellcheck shell=bash
# Node, for run.sh: GPUTIDE_NODE_ADDON is the addon, else that of bindings/node/build.
measure_node() {
    in_turns node bench/bindings/decide.js
    echo "decide, memory reused: C $c ns, Node ${best[0]} ns; with the report ${best[1]} ns"
    figure "Node above C" $((best[0] - c)) 500 ns
}
