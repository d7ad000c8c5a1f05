package io.gputide;

import java.time.Instant;

/**
 * The load of the next start-up time, for a host that scales in a loop of its own.  It learns from one load per pass (what must be served
 * in total), scores itself against "nothing will change", and gives a floor for the size that the host came to without it.  Calls take
 * turns.  Each pass: {@link #add}, decide, {@link #floor}, write the size, {@link #charge}.  docs/forecast.md has the rules.
 */
public final class Forecast extends Handle {
    private Forecast(long address) {
        super(Use.EXCLUSIVE, new Pointer(address, Native::forecastFree));
    }

    /** {@return one with every setting at its default} */
    public static Forecast open() {
        return open("");
    }

    /**
     * With settings of the host's.
     *
     * @param settings a JSON object such as {@code {"lead_ms":300000,"budget_percent":5,"mode":"act"}}; "": none
     * @return the forecast
     * @throws GputideException.Invalid its {@link GputideException#where} is the member that is wrong
     */
    public static Forecast open(String settings) {
        return open(Texts.encoded(settings));
    }

    /**
     * As {@link #open(String)}, from the bytes of a file.
     *
     * @param settings a JSON object in UTF-8; none: empty
     * @return the forecast
     */
    public static Forecast open(byte[] settings) {
        try (Frame frame = Frame.take()) {
            long text = settings.length == 0 ? 0 : frame.copy(settings);
            frame.check(Native.forecastOpen(text, settings.length, frame.out(), frame.error()));
            return new Forecast(frame.takeLong());
        }
    }

    /**
     * Adds the load of a pass.
     *
     * @param now when
     * @param load what must be served in total; NaN: nothing could be read
     */
    public void add(Instant now, double load) {
        act((forecast, frame) -> Native.forecastAdd(forecast, now.toEpochMilli(), load, frame.error()));
    }

    /**
     * The floor under the size that this pass came to.
     *
     * @param target load that one replica takes, more than 0
     * @param reactiveReplicas the size without the forecast, before rate limits and bounds
     * @param currentReplicas 0: the workload is off, and stays so
     * @param maxReplicas the floor does not pass it
     * @return the floor
     */
    public Floor floor(double target, int reactiveReplicas, int currentReplicas, int maxReplicas) {
        return inside((forecast, frame) -> {
            Struct floor = frame.struct(Abi.Floor.SIZE);
            floor.putInt(Abi.Floor.STRUCT_SIZE, Abi.Floor.SIZE);
            frame.check(Native.forecastFloor(
                    forecast, target, reactiveReplicas, currentReplicas, maxReplicas, floor.address, frame.error()));
            return Floor.of(floor);
        });
    }

    /**
     * Charges the budget, once per pass, after {@link #floor}.
     *
     * @param writtenReplicas the size that was written
     * @param shadowReplicas the size that a loop without the forecast would have
     */
    public void charge(int writtenReplicas, int shadowReplicas) {
        act((forecast, frame) -> Native.forecastCharge(forecast, writtenReplicas, shadowReplicas, frame.error()));
    }

    /** {@return what it says, how good it has been and what it cost, as JSON} */
    public JsonText describe() {
        return json(Native::forecastDescribe);
    }

    /** {@return text that survives a restart, for {@link #load(String)}} */
    public String save() {
        return text(Native::forecastSave);
    }

    /**
     * Goes on as the one that was saved.
     *
     * @param text what {@link #save} gave
     * @throws GputideException.WrongState the text is damaged, foreign or of a newer release; nothing has changed then
     */
    public void load(String text) {
        load(Texts.encoded(text));
    }

    /**
     * As {@link #load(String)}, from bytes.
     *
     * @param text what {@link #save} gave
     */
    public void load(byte[] text) {
        act((forecast, frame) -> Native.forecastLoad(forecast, frame.copy(text), text.length, frame.error()));
    }
}
