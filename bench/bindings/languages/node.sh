# shellcheck shell=bash
# Node, for run.sh: GPUTIDE_NODE_ADDON is the addon, else that of bindings/node/build.
measure_node() {
    local plain reported
    read -r plain reported < <(node bench/bindings/decide.js)
    echo "decide, memory reused: C $c ns, Node $plain ns; with the report $reported ns"
    figure "Node above C" $((plain - c)) 500 ns
}
