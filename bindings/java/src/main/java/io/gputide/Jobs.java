package io.gputide;

/** One poll of a KEDA ScaledJob: how many Jobs to create now, and which finished ones go.  From texts alone, no network and no clock. */
public final class Jobs {
    private Jobs() {}

    /**
     * Decides one poll.
     *
     * @param manifest text with the ScaledJob
     * @param observation JSON, such as {@code {"values":[42.5,null],"running":3,"pending":1}}: a value per trigger, null where its read
     *     failed (docs/jobs.md)
     * @param options what the host allows, and which ScaledJob of several; may be null
     * @return create, delete, conditions, events and reasons, as JSON
     * @throws GputideException.Invalid with the place in the manifest or in {@code observation}
     */
    public static JsonText decide(String manifest, String observation, Options options) {
        return decide(Texts.encoded(manifest), Texts.encoded(observation), options);
    }

    /**
     * As {@link #decide(String, String, Options)}, from the bytes of files.
     *
     * @param manifest in UTF-8
     * @param observation JSON
     * @param options may be null
     * @return the decision, as JSON
     */
    public static JsonText decide(byte[] manifest, byte[] observation, Options options) {
        try (Frame frame = Frame.take()) {
            long text = frame.copy(manifest);
            long what = frame.copy(observation);
            long chosen = Options.in(frame, options);
            frame.check(Native.scaledJobDecide(text, manifest.length, chosen, what, observation.length, frame.text(), frame.error()));
            return frame.takeJson();
        }
    }
}
