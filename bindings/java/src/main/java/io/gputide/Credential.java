package io.gputide;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Something that gets tokens: a TriggerAuthentication document, or its podIdentity block alone.  Equal ones share a cache over the whole
 * process; calls run side by side.
 */
public final class Credential extends Handle {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private Credential(long address) {
        super(Use.SHARED, new Pointer(address, Native::credentialFree));
    }

    /**
     * Reads a TriggerAuthentication or a podIdentity block.  No request is made.
     *
     * @param text such as {@code provider: azure-workload}
     * @return the credential
     * @throws GputideException.Invalid the exception names the key or the environment variable
     */
    public static Credential open(String text) {
        return open(text, null);
    }

    /**
     * As {@link #open(String)}.
     *
     * @param text such as {@code provider: azure-workload}
     * @param options what the host allows; may be null
     * @return the credential
     */
    public static Credential open(String text, Options options) {
        return open(Texts.encoded(text), options);
    }

    /**
     * As {@link #open(String)}, from the bytes of a file.
     *
     * @param text in UTF-8
     * @param options what the host allows; may be null
     * @return the credential
     */
    public static Credential open(byte[] text, Options options) {
        try (Frame frame = Frame.take()) {
            long given = frame.copy(text);
            long chosen = Options.in(frame, options);
            frame.check(Native.credentialOpen(given, text.length, chosen, frame.out(), frame.error()));
            return new Credential(frame.takeLong());
        }
    }

    /**
     * A token for one scope, from the cache where it can; within 10 s.
     *
     * @param scope such as {@code https://prometheus.monitor.azure.com/.default}
     * @return the token
     * @throws InterruptedException the thread was interrupted
     */
    public Token token(String scope) throws InterruptedException {
        return token(scope, TIMEOUT);
    }

    /**
     * As {@link #token(String)}.
     *
     * @param scope such as {@code https://prometheus.monitor.azure.com/.default}
     * @param timeout over all of it
     * @return the token
     * @throws InterruptedException the thread was interrupted
     */
    public Token token(String scope, Duration timeout) throws InterruptedException {
        return tokenWait(scope, timeout).here();
    }

    /**
     * As {@link #token(String)}, in the background.
     *
     * @param scope such as {@code https://prometheus.monitor.azure.com/.default}
     * @param timeout over all of it
     * @return the token to come; canceling it ends the call
     */
    public CompletableFuture<Token> tokenAsync(String scope, Duration timeout) {
        return tokenWait(scope, timeout).async();
    }

    private Wait<Token> tokenWait(String scope, Duration timeout) {
        byte[] name = Texts.terminated(scope, "scope");
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            Struct info = frame.tokenInfo();
            frame.check(Native.credentialToken(
                    address(), frame.copy(name), timeoutMs, cancel, frame.text(), info.address, frame.error()));
            return new Token(frame.takeText(), info);
        }, this);
    }

    /**
     * Changes a node pool of AKS, unless the change is dry, and follows the operation to its end.
     *
     * @param change JSON, such as {@code {"cluster":"/subscriptions/...","pool":"gpunp","count":4,"dry":false}}
     * @param timeout over all of it; an operation that still runs then goes on
     * @return what was, what is to be, and how far it came, as JSON (docs/json.md, agent_pool_write)
     * @throws GputideException.Invalid the change does not fit the pool
     * @throws InterruptedException the thread was interrupted
     */
    public JsonText writeAgentPool(String change, Duration timeout) throws InterruptedException {
        return writeWait(change, timeout).here();
    }

    /**
     * As {@link #writeAgentPool(String, Duration)}, in the background.
     *
     * @param change JSON
     * @param timeout over all of it
     * @return the outcome to come; canceling it ends the call, and what was written stays
     */
    public CompletableFuture<JsonText> writeAgentPoolAsync(String change, Duration timeout) {
        return writeWait(change, timeout).async();
    }

    private Wait<JsonText> writeWait(String change, Duration timeout) {
        byte[] given = Texts.encoded(change);
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            frame.check(Native.agentPoolWrite(
                    address(), frame.copy(given), given.length, timeoutMs, cancel, frame.text(), frame.error()));
            return frame.takeJson();
        }, this);
    }

    /**
     * A resource answered 401 to exactly this token: drop it.
     *
     * @param scope that it was for
     * @param token its value
     */
    public void invalidate(String scope, String token) {
        invalidate(scope, Texts.encoded(token));
    }

    /**
     * As {@link #invalidate(String, String)}, from bytes.
     *
     * @param scope that it was for
     * @param token its value
     */
    public void invalidate(String scope, byte[] token) {
        byte[] name = Texts.terminated(scope, "scope");
        act((credential, frame) ->
                Native.credentialInvalidate(credential, frame.copy(name), frame.copy(token), token.length, frame.error()));
    }
}
