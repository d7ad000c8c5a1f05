package io.gputide;

import java.time.Instant;

/**
 * The number of GPU nodes of each pool that waiting pods need, and which nodes may go: from texts alone, no network.
 *
 * @param errors items of the text that were left out, or settings that were refused; {@code report} names each
 * @param warnings what else was found in the text
 * @param nodesToAdd over all pools
 * @param nodesToRemove now; others may follow later
 * @param podsPending pods that wait: the sum of the next three
 * @param podsOnExisting that nodes which are there, or on their way, can take
 * @param podsOnNew that new nodes can take
 * @param podsLeft that no node helps; {@code report} says why
 * @param report the whole plan with its reasons, as JSON
 * @param nextState for the next plan: since when nodes are unneeded, open requests, pools that failed
 */
public record NodesPlan(
        long errors,
        long warnings,
        long nodesToAdd,
        long nodesToRemove,
        long podsPending,
        long podsOnExisting,
        long podsOnNew,
        long podsLeft,
        JsonText report,
        String nextState) {
    /**
     * Plans the nodes of a cluster as the text describes it; nothing is added or removed by it.
     *
     * @param text pools, nodes, pods and settings (docs/nodes.md), and Kubernetes' own objects as kubectl prints them, one behind the other
     * @param state what the last plan gave as its {@code nextState}; "": there was none
     * @param now null: by the clock
     * @return the plan; what could not be read was left out
     * @throws GputideException.WrongState the state is none
     */
    public static NodesPlan of(String text, String state, Instant now) {
        return of(Texts.encoded(text), Texts.encoded(state), now);
    }

    /**
     * As {@link #of(String, String, Instant)}, from the bytes of files.
     *
     * @param text in UTF-8
     * @param state what the last plan gave; empty: there was none
     * @param now null: by the clock
     * @return the plan
     */
    public static NodesPlan of(byte[] text, byte[] state, Instant now) {
        try (Frame frame = Frame.take()) {
            Struct summary = frame.struct(Abi.NodesSummary.SIZE);
            summary.putInt(Abi.NodesSummary.STRUCT_SIZE, Abi.NodesSummary.SIZE);
            long given = frame.copy(text);
            long before = state.length == 0 ? 0 : frame.copy(state);
            frame.check(Native.nodesPlan(given, text.length, before, state.length, Times.nowMs(now), summary.address, frame.text(),
                    frame.secondText(), frame.error()));
            return new NodesPlan(
                    Integer.toUnsignedLong(summary.getInt(Abi.NodesSummary.ERRORS)),
                    Integer.toUnsignedLong(summary.getInt(Abi.NodesSummary.WARNINGS)),
                    summary.getLong(Abi.NodesSummary.NODES_TO_ADD),
                    summary.getLong(Abi.NodesSummary.NODES_TO_REMOVE),
                    summary.getLong(Abi.NodesSummary.PODS_PENDING),
                    summary.getLong(Abi.NodesSummary.PODS_ON_EXISTING),
                    summary.getLong(Abi.NodesSummary.PODS_ON_NEW),
                    summary.getLong(Abi.NodesSummary.PODS_LEFT),
                    frame.takeJson(),
                    frame.takeSecondText());
        }
    }
}
