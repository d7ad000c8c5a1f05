package io.gputide;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The library as a whole, and what needs no handle: checks, the doctors, a cluster's lists, quantities. */
public final class Gputide {
    /** The binary interface that this package was written for. */
    public static final int ABI_VERSION = Abi.ABI_VERSION;

    private static final Duration DOCTOR_TIMEOUT = Duration.ofSeconds(60);

    private Gputide() {}

    /** The features of the library. */
    public enum Feature {
        /** Check, policy, state, decide: in every flavor. */
        PURE(Abi.FEATURE_PURE),
        /** Scalers, sources, runtimes. */
        CORE(Abi.FEATURE_CORE),
        /** Forecast, replay, nodes, right-sizing. */
        PLAN(Abi.FEATURE_PLAN),
        /** A Kubernetes cluster, AKS node pools. */
        KUBERNETES(Abi.FEATURE_KUBERNETES),
        /** Manifests may be YAML; without it only JSON. */
        YAML(Abi.FEATURE_YAML),
        /** HTTP/2. */
        HTTP2(Abi.FEATURE_HTTP2),
        /** Triggers of type cron. */
        CRON(Abi.FEATURE_CRON);

        private final int bit;

        Feature(int bit) {
            this.bit = bit;
        }
    }

    /**
     * Opens this library file and no other.  Before anything else of gputide; otherwise the library is opened when it is first needed:
     * the file that GPUTIDE_LIBRARY names, the one in the jar, the system's.
     *
     * @param path of libgputide-full.so.1
     * @throws UnsatisfiedLinkError it is not usable, or another is open already
     */
    public static void load(Path path) {
        Library.open(path);
    }

    /** {@return the file that the C functions come from; opens the library unless it is open} */
    public static Path libraryPath() {
        return Library.path();
    }

    /** {@return the library's release, such as 0.3.0} */
    public static String version() {
        Library.open();
        return Memory.text(Native.version());
    }

    /** {@return what the library was built with; a newer library's features that have no name here are left out} */
    public static Set<Feature> features() {
        Library.open();
        int bits = Native.features();
        Set<Feature> features = EnumSet.allOf(Feature.class);
        features.removeIf(feature -> (bits & feature.bit) == 0);
        return features;
    }

    /** {@return compiler and dependency versions, for bug reports} */
    public static JsonText buildInfo() {
        Library.open();
        return JsonText.of(Memory.text(Native.buildInfo()));
    }

    /** {@return how many C handles this process holds: opened here and not freed} */
    public static long alive() {
        return Pointer.alive();
    }

    /**
     * Reads a manifest without opening anything: no network.
     *
     * @param manifest YAML or JSON
     * @return what was found; a wrong manifest is not an exception, its findings say what is wrong
     */
    public static Findings check(String manifest) {
        return check(manifest, null);
    }

    /**
     * As {@link #check(String)}.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @return what was found
     */
    public static Findings check(String manifest, Options options) {
        return check(Texts.encoded(manifest), options);
    }

    /**
     * As {@link #check(String)}, from the bytes of a file.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @return what was found
     */
    public static Findings check(byte[] manifest, Options options) {
        return HandlelessCalls.check(manifest, options);
    }

    /**
     * Finds what is wrong with a manifest's triggers, by following each of them as a request would.  Reads the network, for at most 60 s.
     *
     * @param manifest YAML or JSON
     * @return the verdicts; a step that fails is not an exception
     * @throws InterruptedException the thread was interrupted
     */
    public static Diagnosis doctor(String manifest) throws InterruptedException {
        return doctor(manifest, null, null, DOCTOR_TIMEOUT);
    }

    /**
     * As {@link #doctor(String)}.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @param observation the present size, and samples that the host pushes; null: the manifest's minimum, now
     * @param timeout over all of it
     * @return the verdicts
     * @throws InterruptedException the thread was interrupted
     */
    public static Diagnosis doctor(String manifest, Options options, Observation observation, Duration timeout)
            throws InterruptedException {
        return doctor(Texts.encoded(manifest), options, observation, timeout);
    }

    /**
     * As {@link #doctor(String)}, from the bytes of a file.
     *
     * @param manifest YAML or JSON in UTF-8
     * @param options what the host allows; may be null
     * @param observation the present size, and samples that the host pushes; null: the manifest's minimum, now
     * @param timeout over all of it
     * @return the verdicts
     * @throws InterruptedException the thread was interrupted
     */
    public static Diagnosis doctor(byte[] manifest, Options options, Observation observation, Duration timeout)
            throws InterruptedException {
        return HandlelessCalls.doctor(manifest, options, observation, timeout).here();
    }

    /**
     * As {@link #doctor(String)}, in the background.
     *
     * @param manifest YAML or JSON
     * @param options what the host allows; may be null
     * @param observation the present size, and samples that the host pushes; null: the manifest's minimum, now
     * @param timeout over all of it
     * @return the verdicts to come; canceling it ends the operation
     */
    public static CompletableFuture<Diagnosis> doctorAsync(
            String manifest, Options options, Observation observation, Duration timeout) {
        return HandlelessCalls.doctor(Texts.encoded(manifest), options, observation, timeout).async();
    }

    /**
     * Reads one collection of a Kubernetes cluster, whole; nothing is watched or written.
     *
     * @param path such as {@code /api/v1/nodes} or {@code /api/v1/namespaces/ml/pods?labelSelector=app%3Dllm}
     * @param options which API server, and with which identity; may be null
     * @param timeout over all of it
     * @return the lists as the server wrote them, a page of it each, one behind the other: {@link NodesPlan#of} takes them so
     * @throws GputideException.Invalid the path is not a collection's
     * @throws InterruptedException the thread was interrupted
     */
    public static String listCluster(String path, Options options, Duration timeout) throws InterruptedException {
        return HandlelessCalls.listCluster(path, options, timeout).here();
    }

    /**
     * As {@link #listCluster(String, Options, Duration)}, in the background.
     *
     * @param path such as {@code /api/v1/nodes}
     * @param options which API server, and with which identity; may be null
     * @param timeout over all of it
     * @return the lists to come; canceling it ends the call
     */
    public static CompletableFuture<String> listClusterAsync(String path, Options options, Duration timeout) {
        return HandlelessCalls.listCluster(path, options, timeout).async();
    }

    /**
     * Whether a {@link ScalerRuntime} could work on a Kubernetes cluster: its API server, the token, the kinds that are served, each right
     * that is needed, the Lease.  What is missing comes with a Role to apply; nothing is changed there.
     *
     * @param settings as {@link ScalerRuntime#attachCluster} takes them; they say what is needed.  Empty: the defaults
     * @param options which cluster, and with which identity; may be null
     * @param timeout over all of it
     * @return the verdicts; a step that fails is not an exception
     * @throws GputideException.Invalid the settings cannot be read
     * @throws InterruptedException the thread was interrupted
     */
    public static Diagnosis doctorCluster(String settings, Options options, Duration timeout) throws InterruptedException {
        return HandlelessCalls.doctorCluster(settings, options, timeout).here();
    }

    /**
     * As {@link #doctorCluster(String, Options, Duration)}, in the background.
     *
     * @param settings as {@link ScalerRuntime#attachCluster} takes them; empty: the defaults
     * @param options which cluster, and with which identity; may be null
     * @param timeout over all of it
     * @return the verdicts to come; canceling it ends the operation
     */
    public static CompletableFuture<Diagnosis> doctorClusterAsync(String settings, Options options, Duration timeout) {
        return HandlelessCalls.doctorCluster(settings, options, timeout).async();
    }

    /**
     * Hands one ScaledObject of a Kubernetes cluster over from a living KEDA to gputide, or back, unless the change is dry.
     *
     * @param change JSON, such as {@code {"namespace":"ml","name":"llm","to":"gputide","dry":false}}
     * @param options which API server, and with which identity; may be null
     * @param timeout over all of it; what is waited for then is told, and calling again goes on
     * @return how far it came, step by step (docs/json.md, cluster_handover); what is refused is not an exception
     * @throws GputideException.Invalid the change cannot be read
     * @throws InterruptedException the thread was interrupted; what was written stays
     */
    public static JsonText handOver(String change, Options options, Duration timeout) throws InterruptedException {
        return HandlelessCalls.handOver(change, options, timeout).here();
    }

    /**
     * As {@link #handOver(String, Options, Duration)}, in the background.
     *
     * @param change JSON
     * @param options which API server, and with which identity; may be null
     * @param timeout over all of it
     * @return the outcome to come; canceling it ends the call, and what was written stays
     */
    public static CompletableFuture<JsonText> handOverAsync(String change, Options options, Duration timeout) {
        return HandlelessCalls.handOver(change, options, timeout).async();
    }

    /**
     * Formats a report as lines for people: conditions, then the trace.
     *
     * @param report as {@link Decision#report} gives it
     * @return the lines
     * @throws GputideException.Invalid this is not a report
     */
    public static String renderReport(String report) {
        byte[] text = Texts.encoded(report);
        try (Frame frame = Frame.take()) {
            frame.check(Native.reportRender(frame.copy(text), text.length, frame.text(), frame.error()));
            return frame.takeText();
        }
    }

    /**
     * A Kubernetes quantity ("1500m", "2Ki", "0.1") as a number.
     *
     * @param text the quantity
     * @return it in thousandths, rounded away from zero as Kubernetes does
     * @throws GputideException.LimitExceeded it does not fit 64 bits
     */
    public static long quantity(String text) {
        byte[] quantity = Texts.encoded(text);
        try (Frame frame = Frame.take()) {
            frame.check(Native.quantity(frame.copy(quantity), quantity.length, frame.out(), frame.error()));
            return frame.takeLong();
        }
    }
}
