package io.gputide;

import java.util.Optional;

/** Carries the library's lines into a logger until it is closed; {@link LogReader#forward} makes one. */
public final class LogForwarding implements AutoCloseable {
    private final LogReader reader;
    private final Thread thread;

    LogForwarding(LogReader reader, System.Logger logger) {
        this.reader = reader;
        thread = new Thread(() -> carry(reader, logger), "gputide-log");
        thread.setDaemon(true);
        thread.start();
    }

    private static void carry(LogReader reader, System.Logger logger) {
        try {
            while (true) {
                Optional<LogLine> line = reader.lineWait(null).here();
                line.ifPresent(entry -> logger.log(level(entry.level()), entry.text()));
            }
        } catch (InterruptedException | GputideException.Cancelled | IllegalStateException closed) {
            // that is how it ends
        }
    }

    private static System.Logger.Level level(LogLevel level) {
        return switch (level.number()) {
            case 1 -> System.Logger.Level.ERROR;
            case 2 -> System.Logger.Level.WARNING;
            case 3 -> System.Logger.Level.INFO;
            default -> System.Logger.Level.DEBUG;
        };
    }

    /** Ends it; may be repeated. */
    @Override
    public void close() {
        reader.close();
        if (Thread.currentThread() != thread) {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException interrupt) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
