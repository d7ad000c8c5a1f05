/**
 * The replica count that KEDA and the HPA would write, and why, inside your own process.
 *
 * <p>Numbers alone: {@link io.gputide.Policy}, {@link io.gputide.State}.  A manifest as a whole: {@link io.gputide.Scaler}.  Many of
 * them: {@link io.gputide.ScalerRuntime}.  One metric: {@link io.gputide.Source}.  Tokens: {@link io.gputide.Credential}.  Recorded
 * days: {@link io.gputide.Series}, {@link io.gputide.Replay}.  GPU nodes: {@link io.gputide.NodesPlan}.  ScaledJobs:
 * {@link io.gputide.Jobs}.  The load ahead: {@link io.gputide.Forecast}.  What is wrong with a manifest:
 * {@link io.gputide.Gputide#check(String)}, {@link io.gputide.Gputide#doctor(String)}.  The library's log:
 * {@link io.gputide.LogReader}.
 *
 * <p>What fails throws a {@link io.gputide.GputideException}, with a class for each status.  Calls that may wait take a timeout, end
 * when their thread is interrupted or their handle closed, and have a twin that gives a {@code CompletableFuture}.  Texts with a lone
 * surrogate, and names and paths with a NUL character, are an {@link IllegalArgumentException}.
 */
package io.gputide;
