/**
 * Protocol 1 over the public classes of {@code io.gputide}: what the C++ conformance runner asks of every binding.  Not exported.
 * The calls stand in {@code Calls} and the files that it names; what they take is read by {@code OptionsIn} and
 * {@code ObservationsIn}, what they come to is written by {@code ResultsOut}.
 *
 * <p>{@code java -Djava.util.logging.config.file=/dev/null -cp gputide.jar io.gputide.conformance.Main}: the property keeps the
 * warnings of handles silent that a case forgets on purpose.
 */
package io.gputide.conformance;
