package io.gputide;

import java.time.Duration;
import java.util.Optional;

/**
 * The library's log lines, pulled: no callback of the library enters Java.  Every line of the whole process from its opening on; up to
 * 256 wait, then the oldest give way.
 */
public final class LogReader extends Handle {
    private LogReader(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::logFree));
    }

    /**
     * Begins to collect lines.
     *
     * @param level lines of this one and more severe ones
     * @return the reader
     */
    public static LogReader open(LogLevel level) {
        try (Frame frame = Frame.take()) {
            frame.check(Native.logOpen(level.number(), frame.out(), frame.error()));
            return new LogReader(frame.takeLong());
        }
    }

    /**
     * The library's lines go to a logger of Java's until what is returned is closed.
     *
     * @param logger such as {@code System.getLogger("io.gputide")}
     * @param level lines of this one and more severe ones
     * @return the forwarding, with a daemon thread of its own
     */
    public static LogForwarding forward(System.Logger logger, LogLevel level) {
        return new LogForwarding(open(level), logger);
    }

    /**
     * The next line.
     *
     * @param timeout zero: looks and does not wait
     * @return the line; empty where none came in time
     * @throws InterruptedException the thread was interrupted
     */
    public Optional<LogLine> next(Duration timeout) throws InterruptedException {
        return lineWait(timeout).here();
    }

    /** timeout: null is for ever. */
    Wait<Optional<LogLine>> lineWait(Duration timeout) {
        return new Wait<>(timeout, (cancel, timeoutMs, frame) -> {
            Struct level = frame.struct(Long.BYTES);
            int status = Native.logNext(address(), timeoutMs, cancel, frame.text(), level.address, frame.error());
            if (status == Abi.E_NO_DATA) {
                return Optional.empty();
            }
            frame.check(status);
            return Optional.of(new LogLine(LogLevel.of(level.getInt(0)), frame.takeText()));
        }, this);
    }
}
