package io.gputide;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A metric: where it is, how it is asked for, how its answer becomes one number.  One entry of a ScaledObject's triggers, and beside it
 * the TriggerAuthentication that it names.  Calls take turns.
 */
public final class Source extends Handle {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private Source(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::sourceFree));
    }

    /**
     * Reads a trigger.  Nothing is sent.
     *
     * @param text one entry of triggers, YAML or JSON
     * @return the source
     * @throws GputideException.Invalid the exception names trigger, key, line and path
     */
    public static Source open(String text) {
        return open(text, null);
    }

    /**
     * As {@link #open(String)}.
     *
     * @param text one entry of triggers, YAML or JSON
     * @param options what the host allows; may be null
     * @return the source
     */
    public static Source open(String text, Options options) {
        return open(Texts.encoded(text), options);
    }

    /**
     * As {@link #open(String)}, from the bytes of a file.
     *
     * @param text in UTF-8
     * @param options what the host allows; may be null
     * @return the source
     */
    public static Source open(byte[] text, Options options) {
        try (Frame frame = Frame.take()) {
            long given = frame.copy(text);
            long chosen = Options.in(frame, options);
            frame.check(Native.sourceOpen(given, text.length, chosen, frame.out(), frame.error()));
            return new Source(frame.takeLong());
        }
    }

    /**
     * One value, now; within 10 s.
     *
     * @return the value
     * @throws GputideException the read failed; its {@link GputideException#sample} says so too, for a decision
     * @throws InterruptedException the thread was interrupted
     */
    public Sample fetch() throws InterruptedException {
        return fetch(null, TIMEOUT);
    }

    /**
     * As {@link #fetch()}.
     *
     * @param now the time that the query is evaluated at; null: by the clock
     * @param timeout over all of it: token, DNS, retries, body
     * @return the value
     * @throws InterruptedException the thread was interrupted
     */
    public Sample fetch(Instant now, Duration timeout) throws InterruptedException {
        return fetchWait(now, timeout).here();
    }

    /**
     * As {@link #fetch()}, in the background.
     *
     * @param now the time that the query is evaluated at; null: by the clock
     * @param timeout over all of it
     * @return the value to come; canceling it ends the call
     */
    public CompletableFuture<Sample> fetchAsync(Instant now, Duration timeout) {
        return fetchWait(now, timeout).async();
    }

    Wait<Sample> fetchWait(Instant now, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            Struct read = frame.sample();
            int status = Native.sourceFetch(address(), Times.nowMs(now), timeoutMs, cancel, read.address, frame.error());
            return checked(frame, status, read);
        }, this);
    }

    /** A failed read tells its reason twice: as the error, and as the sample that a decision takes. */
    private static Sample checked(Frame frame, int status, Struct read) {
        Sample sample = Sample.of(read);
        try {
            frame.check(status);
        } catch (GputideException problem) {
            throw sample.state().equals(SampleState.NOT_GIVEN) ? problem : problem.with(sample);
        }
        return sample;
    }

    /**
     * Reads all series without reducing them to one number, now; within 10 s.  Several series and an empty response are allowed.
     *
     * @return result type, every point and histogram of every series with its labels, warnings, infos, partial
     * @throws InterruptedException the thread was interrupted
     */
    public JsonText fetchAll() throws InterruptedException {
        return fetchAll(null, TIMEOUT);
    }

    /**
     * As {@link #fetchAll()}.
     *
     * @param now the time that the query is evaluated at; null: by the clock
     * @param timeout over all of it
     * @return the response
     * @throws InterruptedException the thread was interrupted
     */
    public JsonText fetchAll(Instant now, Duration timeout) throws InterruptedException {
        return fetchAllWait(now, timeout).here();
    }

    /**
     * As {@link #fetchAll()}, in the background.
     *
     * @param now the time that the query is evaluated at; null: by the clock
     * @param timeout over all of it
     * @return the response to come; canceling it ends the call
     */
    public CompletableFuture<JsonText> fetchAllAsync(Instant now, Duration timeout) {
        return fetchAllWait(now, timeout).async();
    }

    private Wait<JsonText> fetchAllWait(Instant now, Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            frame.check(Native.sourceFetchAll(
                    address(), Times.nowMs(now), timeoutMs, cancel, frame.text(), frame.error()));
            return JsonText.of(frame.takeText());
        }, this);
    }

    /**
     * Returns what would be sent, for a host with an HTTP client of its own: method, url, headers, body.  A cloud token is not in it.
     *
     * @param now the time that the query is evaluated at; null: by the clock
     * @return the request
     * @throws GputideException.Unsupported the source is not asked over HTTP
     */
    public JsonText request(Instant now) {
        return json((source, text, error) -> Native.sourceRequest(source, Times.nowMs(now), text, error));
    }

    /**
     * Parses a response by the trigger's rules.
     *
     * @param httpStatus of the answer
     * @param body of the answer
     * @return the value
     * @throws GputideException as {@link #fetch()}
     */
    public Sample parse(int httpStatus, String body) {
        return parse(httpStatus, Texts.encoded(body));
    }

    /**
     * As {@link #parse(int, String)}, from bytes.
     *
     * @param httpStatus of the answer
     * @param body of the answer
     * @return the value
     */
    public Sample parse(int httpStatus, byte[] body) {
        return inside((source, frame) -> {
            Struct read = frame.sample();
            long text = frame.copy(body);
            int status = Native.sourceParse(source, httpStatus, text, body.length, read.address, frame.error());
            return checked(frame, status, read);
        });
    }

    /**
     * Parses a response as {@link #fetchAll()} does, without reducing it to one number.
     *
     * @param httpStatus of the answer
     * @param headers by their names, as {@code java.net.http.HttpHeaders.map()} has them
     * @param body of the answer
     * @return the response
     */
    public JsonText parseAll(int httpStatus, Map<String, List<String>> headers, byte[] body) {
        StringBuilder lines = new StringBuilder();
        headers.forEach((name, values) ->
                values.forEach(value -> lines.append(name).append(": ").append(value).append("\r\n")));
        return parseAll(httpStatus, Texts.encoded(lines.toString()), body);
    }

    /**
     * As {@link #parseAll(int, Map, byte[])}.
     *
     * @param httpStatus of the answer
     * @param headers lines "Name: value", with LF or CRLF
     * @param body of the answer
     * @return the response
     */
    public JsonText parseAll(int httpStatus, byte[] headers, byte[] body) {
        return inside((source, frame) -> {
            long lines = frame.copy(headers);
            long text = frame.copy(body);
            frame.check(Native.sourceParseAll(
                    source, httpStatus, lines, headers.length, text, body.length, frame.text(), frame.error()));
            return JsonText.of(frame.takeText());
        });
    }

    /** {@return what the trigger came to: target, metric name, type, settings with every default; no secret is in it} */
    public JsonText describe() {
        return json(Native::sourceDescribe);
    }
}
