package io.gputide;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Native memory for one call: its error, its outputs, its inputs.  Frames are kept and lent, so that neither a thread nor a call pays
 * for one; there is none before the library is open.
 */
final class Frame implements AutoCloseable {
    private static final int MOST_KEPT = 64;
    private static final int SCRATCH_BYTES = 8192;
    private static final ArrayBlockingQueue<Frame> KEPT = new ArrayBlockingQueue<>(MOST_KEPT);

    private static final int ERROR = 0;
    private static final int DECISION = ERROR + Abi.Error.SIZE;
    private static final int EVENT = DECISION + Abi.Decision.SIZE;
    private static final int SAMPLE = EVENT + Abi.Event.SIZE;
    private static final int TOKEN_INFO = SAMPLE + Abi.Sample.SIZE;
    private static final int TEXT = TOKEN_INFO + Abi.TokenInfo.SIZE;
    private static final int SECOND_TEXT = TEXT + Abi.Text.SIZE;
    private static final int OUT = SECOND_TEXT + Abi.Text.SIZE;
    private static final int SCRATCH = OUT + Long.BYTES;

    private final ByteBuffer memory;
    private final long address;
    private final List<Long> allocated = new ArrayList<>(0);
    private int end = SCRATCH; // what lies behind it is 0

    private Frame() {
        Library.open();
        memory = ByteBuffer.allocateDirect(SCRATCH + SCRATCH_BYTES).order(ByteOrder.nativeOrder());
        address = Memory.address(memory);
        memory.putInt(ERROR + Abi.Error.STRUCT_SIZE, Abi.Error.SIZE);
    }

    static Frame take() {
        Frame kept = KEPT.poll();
        return kept == null ? new Frame() : kept;
    }

    /** Gives it back, with nothing in it of what the caller said. */
    @Override
    public void close() {
        for (int place = SCRATCH; place < end; place += Long.BYTES) {
            memory.putLong(place, 0);
        }
        end = SCRATCH;
        allocated.forEach(Memory::release);
        allocated.clear();
        KEPT.offer(this);
    }

    /** The last argument of a C function that returns a status; on entry C reads its size alone. */
    long error() {
        return address + ERROR;
    }

    /** Throws what the call that was made last has written. */
    void check(int status) {
        if (status != 0) {
            throw problem(status);
        }
    }

    /** The exception of {@link #check}; null where the call succeeded. */
    GputideException problem(int status) {
        return status == 0 ? null : Failures.of(new Struct(memory, ERROR, address + ERROR));
    }

    /** A gputide_text for C to fill. */
    long text() {
        return address + TEXT;
    }

    long secondText() {
        return address + SECOND_TEXT;
    }

    /** The text that C wrote; null where it wrote nothing. */
    String takeText() {
        return taken(TEXT);
    }

    String takeSecondText() {
        return taken(SECOND_TEXT);
    }

    JsonText takeJson() {
        String text = takeText();
        return JsonText.of(text == null ? "" : text);
    }

    private String taken(int place) {
        long data = memory.getLong(place + Abi.Text.DATA);
        if (data == 0) {
            return null;
        }
        try {
            return Texts.decoded(Memory.read(data, memory.getLong(place + Abi.Text.SIZE_BYTES)));
        } finally {
            Native.textFree(address + place);
        }
    }

    /** A handle or a number of at most 64 bits for C to write. */
    long out() {
        memory.putLong(OUT, 0);
        return address + OUT;
    }

    long takeLong() {
        return memory.getLong(OUT);
    }

    int takeInt() {
        return memory.getInt(OUT);
    }

    /** A decision for C to fill or to update. */
    Struct decision() {
        return sized(DECISION, Abi.Decision.SIZE);
    }

    Struct event() {
        return sized(EVENT, Abi.Event.SIZE);
    }

    Struct sample() {
        return sized(SAMPLE, Abi.Sample.SIZE);
    }

    Struct tokenInfo() {
        return sized(TOKEN_INFO, Abi.TokenInfo.SIZE);
    }

    /** An output that knows its size, the first member of each. */
    private Struct sized(int place, int size) {
        for (int each = place; each < place + size; each += Long.BYTES) {
            memory.putLong(each, 0);
        }
        memory.putInt(place, size);
        return new Struct(memory, place, address + place);
    }

    /** An input full of zeros, or an array of them. */
    Struct struct(int size) {
        int padded = size + Long.BYTES - 1 & -Long.BYTES;
        if (padded < size || padded > SCRATCH + SCRATCH_BYTES - end) {
            return new Struct(Memory.view(allocate(size), size).order(ByteOrder.nativeOrder()), 0, allocated.get(allocated.size() - 1));
        }
        int start = end;
        end += padded;
        return new Struct(memory, start, address + start);
    }

    /** A copy of a text, NUL-terminated. */
    long copy(byte[] bytes) {
        if (bytes.length < SCRATCH + SCRATCH_BYTES - end) {
            Struct place = struct(bytes.length + 1);
            place.put(bytes);
            return place.address;
        }
        long place = allocate(bytes.length + 1L);
        Memory.write(place, bytes);
        return place;
    }

    /** Bytes of 0 until this is closed. */
    long allocate(long size) {
        long place = Memory.allocate(size);
        if (place == 0) {
            throw new OutOfMemoryError("gputide: no memory for " + size + " bytes");
        }
        allocated.add(place);
        return place;
    }
}
