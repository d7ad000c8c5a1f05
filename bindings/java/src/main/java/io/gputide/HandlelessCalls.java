package io.gputide;

import java.time.Duration;

/** The calls behind {@link Gputide} that read a manifest or a Kubernetes cluster; those that may wait are a {@link Wait}. */
final class HandlelessCalls {
    private HandlelessCalls() {}

    static Findings check(byte[] manifest, Options options) {
        try (Room room = Room.take()) {
            long text = room.copy(manifest);
            long chosen = Options.in(room, options);
            int status =
                    Native.manifestCheck(text, manifest.length, chosen, room.text(), room.secondText(), room.error());
            String report = room.takeText();
            String lines = room.takeSecondText();
            GputideException problem = room.problem(status);
            if (report == null) {
                throw problem; // the manifest was not read
            }
            return new Findings(JsonText.of(report), lines, problem);
        }
    }

    /** observation: null where the manifest's minimum is the size. */
    static Wait<Diagnosis> doctor(byte[] manifest, Options options, Observation observation, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            long text = room.copy(manifest);
            long chosen = Options.in(room, options);
            long observed = observation == null ? 0 : observation.in(room);
            room.check(Native.doctor(
                    text, manifest.length, chosen, observed, timeoutMs, cancel, room.text(), room.secondText(), room.error()));
            return new Diagnosis(room.takeJson(), room.takeSecondText());
        });
    }

    static Wait<String> listCluster(String path, Options options, Duration timeout) {
        byte[] name = Texts.terminated(path, "path");
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            long chosen = Options.in(room, options);
            room.check(Native.clusterList(room.copy(name), chosen, timeoutMs, cancel, room.text(), room.error()));
            return room.takeText();
        });
    }

    static Wait<Diagnosis> doctorCluster(String settings, Options options, Duration timeout) {
        byte[] encoded = Texts.encoded(settings);
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            long text = room.copy(encoded);
            long chosen = Options.in(room, options);
            room.check(Native.clusterDoctor(
                    text, encoded.length, chosen, timeoutMs, cancel, room.text(), room.secondText(), room.error()));
            return new Diagnosis(room.takeJson(), room.takeSecondText());
        });
    }

    static Wait<JsonText> handOver(String change, Options options, Duration timeout) {
        byte[] encoded = Texts.encoded(change);
        return new Wait<>(timeout, (cancel, timeoutMs, room) -> {
            long text = room.copy(encoded);
            long chosen = Options.in(room, options);
            room.check(Native.clusterHandover(
                    text, encoded.length, chosen, timeoutMs, cancel, room.text(), room.error()));
            return room.takeJson();
        });
    }
}
