package io.gputide;

import java.time.Duration;

/** The calls behind {@link Gputide} that read a manifest or a Kubernetes cluster; those that may wait are a {@link Wait}. */
final class HandlelessCalls {
    private HandlelessCalls() {}

    static Findings check(byte[] manifest, Options options) {
        try (Frame frame = Frame.take()) {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            int status =
                    Native.manifestCheck(text, manifest.length, chosen, frame.text(), frame.secondText(), frame.error());
            String report = frame.takeText();
            String lines = frame.takeSecondText();
            GputideException problem = frame.problem(status);
            if (report == null) {
                throw problem; // the manifest was not read
            }
            return new Findings(JsonText.of(report), lines, problem);
        }
    }

    /** observation: null where the manifest's minimum is the size. */
    static Wait<Diagnosis> doctor(byte[] manifest, Options options, Observation observation, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            long text = frame.copy(manifest);
            long chosen = Options.in(frame, options);
            long observed = observation == null ? 0 : observation.in(frame);
            frame.check(Native.doctor(
                    text, manifest.length, chosen, observed, timeoutMs, cancel, frame.text(), frame.secondText(), frame.error()));
            return new Diagnosis(frame.takeJson(), frame.takeSecondText());
        });
    }

    static Wait<String> listCluster(String path, Options options, Duration timeout) {
        byte[] name = Texts.terminated(path, "path");
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            long chosen = Options.in(frame, options);
            frame.check(Native.clusterList(frame.copy(name), chosen, timeoutMs, cancel, frame.text(), frame.error()));
            return frame.takeText();
        });
    }

    static Wait<Diagnosis> doctorCluster(String settings, Options options, Duration timeout) {
        byte[] encoded = Texts.encoded(settings);
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            long text = frame.copy(encoded);
            long chosen = Options.in(frame, options);
            frame.check(Native.clusterDoctor(
                    text, encoded.length, chosen, timeoutMs, cancel, frame.text(), frame.secondText(), frame.error()));
            return new Diagnosis(frame.takeJson(), frame.takeSecondText());
        });
    }

    static Wait<JsonText> handOver(String change, Options options, Duration timeout) {
        byte[] encoded = Texts.encoded(change);
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            long text = frame.copy(encoded);
            long chosen = Options.in(frame, options);
            frame.check(Native.clusterHandover(
                    text, encoded.length, chosen, timeoutMs, cancel, frame.text(), frame.error()));
            return frame.takeJson();
        });
    }
}
