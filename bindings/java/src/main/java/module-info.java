/** GPU autoscaling inside your own process: the replica count that KEDA and the HPA would write, and why. */
module io.gputide {
    exports io.gputide;
}
