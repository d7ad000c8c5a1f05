package io.gputide;

import java.time.Instant;
import java.util.Optional;

/**
 * A condition as {@code kubectl describe} shows it.
 *
 * @param truth whether it holds
 * @param reason why, in Kubernetes' and KEDA's words
 * @param since when its truth last changed; empty where that is unknown
 */
public record ConditionState(Truth truth, Reason reason, Optional<Instant> since) {}
