package io.gputide;

/**
 * The findings of the doctor, of a manifest or of a cluster.
 *
 * @param report JSON with a verdict for each step
 * @param lines for a person, the conclusion first
 */
public record Diagnosis(JsonText report, String lines) {}
