// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/**
 * DEBUG: a line for each request (method, address without its query, with or without a credential, outcome,
 * duration), each fetched token (scope, credential), each read metric and each decision of a scaler or
 * runtime. No line of any level holds a secret. A number of a newer library, without a name here, stays what
 * it is.
 */
public final class LogLevel extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_LOG_ERROR}. */
    public static final LogLevel ERROR = new LogLevel(1, "ERROR");

    /** {@code GPUTIDE_LOG_WARNING}. */
    public static final LogLevel WARNING = new LogLevel(2, "WARNING");

    /** {@code GPUTIDE_LOG_INFO}. */
    public static final LogLevel INFO = new LogLevel(3, "INFO");

    /** {@code GPUTIDE_LOG_DEBUG}. */
    public static final LogLevel DEBUG = new LogLevel(4, "DEBUG");

    private static final List<LogLevel> VALUES = List.of(ERROR, WARNING, INFO, DEBUG);

    private LogLevel(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<LogLevel> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static LogLevel of(int number) {
        return of(VALUES, number, LogLevel::new);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
