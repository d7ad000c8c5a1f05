package io.gputide;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A struct of gputide.h in native memory, by the offsets of {@link Abi}. */
final class Struct {
    final long address;
    private final ByteBuffer memory;
    private final int start;

    Struct(ByteBuffer memory, int start, long address) {
        this.memory = memory;
        this.start = start;
        this.address = address;
    }

    void putInt(int offset, int value) {
        memory.putInt(start + offset, value);
    }

    void putLong(int offset, long value) {
        memory.putLong(start + offset, value);
    }

    void putDouble(int offset, double value) {
        memory.putDouble(start + offset, value);
    }

    int getInt(int offset) {
        return memory.getInt(start + offset);
    }

    long getLong(int offset) {
        return memory.getLong(start + offset);
    }

    double getDouble(int offset) {
        return memory.getDouble(start + offset);
    }

    void put(byte[] bytes) {
        memory.put(start, bytes);
    }

    byte[] get(int size) {
        byte[] bytes = new byte[size];
        memory.get(start, bytes);
        return bytes;
    }

    /** A char array of C, up to its NUL. */
    String getText(int offset, int frame) {
        byte[] bytes = new byte[frame];
        memory.get(start + offset, bytes);
        int size = 0;
        while (size < frame && bytes[size] != 0) {
            size++;
        }
        return new String(bytes, 0, size, StandardCharsets.UTF_8);
    }
}
