package io.gputide;

import java.nio.ByteBuffer;

/** Bytes outside of Java's heap, by their addresses. */
final class Memory {
    private Memory() {}

    /** The address of a direct buffer's first byte. */
    static native long address(ByteBuffer buffer);

    /** Bytes of 0; 0 where there is no memory. */
    static native long allocate(long size);

    static native void release(long address);

    /** These bytes as a buffer; it must not be used once they are released. */
    static native ByteBuffer view(long address, long size);

    static native void write(long address, byte[] bytes);

    static native void writeLongs(long address, long[] numbers);

    static native void writeInts(long address, int[] numbers);

    static native void writeDoubles(long address, double[] numbers);

    /** A copy; null for the address 0. */
    static native byte[] read(long address, long size);

    /** A copy of the bytes before the first 0; null for the address 0. */
    static native byte[] readText(long address);

    /** A text that the library keeps; null for the address 0. */
    static String text(long address) {
        byte[] bytes = readText(address);
        return bytes == null ? null : Texts.decoded(bytes);
    }
}
