package io.gputide;

import java.time.Instant;

/** A bearer token.  Its value is a secret, which {@code toString} does not show. */
public final class Token {
    private final String value;
    private final Instant expires;
    private final Instant refresh;
    private final Instant usableUntil;

    Token(String value, Struct info) {
        this.value = value;
        expires = Instant.ofEpochMilli(info.getLong(Abi.TokenInfo.EXPIRES_AT_MS));
        refresh = Instant.ofEpochMilli(info.getLong(Abi.TokenInfo.REFRESH_AT_MS));
        usableUntil = Instant.ofEpochMilli(info.getLong(Abi.TokenInfo.USABLE_UNTIL_MS));
    }

    /** {@return the token: a secret, keep it out of logs} */
    public String value() {
        return value;
    }

    /** {@return when it ends} */
    public Instant expires() {
        return expires;
    }

    /** {@return from when on the library renews it} */
    public Instant refresh() {
        return refresh;
    }

    /** {@return until when the library hands it out} */
    public Instant usableUntil() {
        return usableUntil;
    }

    /**
     * Claims of a JWT that tell the identity that it belongs to (aud, iss, tid, appid, oid, sub, nbf, exp).  Nothing is verified.
     *
     * @param token a JWT
     * @return the claims, never its signature
     * @throws GputideException.Protocol the text is not a JWT
     */
    public static JsonText claims(String token) {
        return claims(Texts.encoded(token));
    }

    /**
     * As {@link #claims(String)}, from bytes.
     *
     * @param token a JWT
     * @return the claims
     */
    public static JsonText claims(byte[] token) {
        try (Frame frame = Frame.take()) {
            frame.check(Native.tokenClaims(frame.copy(token), token.length, frame.text(), frame.error()));
            return frame.takeJson();
        }
    }

    @Override
    public String toString() {
        return "Token[expires " + expires + "]";
    }
}
