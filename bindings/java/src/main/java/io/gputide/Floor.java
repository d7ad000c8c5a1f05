package io.gputide;

import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * The result of a floor.
 *
 * @param state how the forecast stands
 * @param reason what came of it
 * @param replicas the reactive size or more
 * @param needReplicas what the load takes; empty: it asks for nothing
 * @param load the load to be ready for; empty: it asks for nothing
 */
public record Floor(ForecastState state, FloorReason reason, int replicas, OptionalInt needReplicas, OptionalDouble load) {
    static Floor of(Struct raw) {
        int need = raw.getInt(Abi.Floor.NEED_REPLICAS);
        double load = raw.getDouble(Abi.Floor.FLOOR_LOAD);
        return new Floor(
                ForecastState.of(raw.getInt(Abi.Floor.STATE)),
                FloorReason.of(raw.getInt(Abi.Floor.REASON)),
                raw.getInt(Abi.Floor.REPLICAS),
                need < 0 ? OptionalInt.empty() : OptionalInt.of(need),
                Double.isNaN(load) ? OptionalDouble.empty() : OptionalDouble.of(load));
    }
}
