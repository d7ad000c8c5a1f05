package io.gputide;

/**
 * The reason of a condition.
 *
 * @param number as C has it
 */
public record Reason(int number) {
    /** {@return the word as Kubernetes spells it ("ScaleDownStabilized"); "" for none} */
    @Override
    public String toString() {
        Library.open();
        return Memory.text(Native.reasonName(number));
    }
}
