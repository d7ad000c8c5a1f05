package io.gputide;

import java.util.Optional;

/** The findings of a manifest's check. */
public final class Findings {
    private final JsonText report;
    private final String lines;
    private final GputideException error;

    Findings(JsonText report, String lines, GputideException error) {
        this.report = report;
        this.lines = lines;
        this.error = error;
    }

    /** {@return the scalers in it and the findings, as JSON} */
    public JsonText report() {
        return report;
    }

    /** {@return the findings as a compiler prints them} */
    public String lines() {
        return lines;
    }

    /** {@return the first finding that is an error; empty where all are warnings} */
    public Optional<GputideException> error() {
        return Optional.ofNullable(error);
    }

    /** {@return whether all findings are warnings} */
    public boolean isOk() {
        return error == null;
    }
}
