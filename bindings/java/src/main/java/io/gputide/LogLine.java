package io.gputide;

/**
 * A line of the library's log.
 *
 * @param level how severe
 * @param text without LF
 */
public record LogLine(LogLevel level, String text) {}
