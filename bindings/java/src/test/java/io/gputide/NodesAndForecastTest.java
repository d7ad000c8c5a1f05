package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Sections 11 and 12: node plans, and the load ahead. */
final class NodesAndForecastTest {
    private static void drive(Forecast forecast, int from, int to) {
        for (int minute = from; minute < to; minute++) {
            forecast.add(Support.NOW.plusSeconds(60L * minute), minute % 60 < 10 ? 100 : 20);
        }
    }

    @Test
    void whatComesEveryHourIsAskedForBefore() {
        try (Forecast forecast = Forecast.open("{\"warmup_ms\":3600000}")) {
            Floor first = forecast.floor(5, 4, 4, 40);
            assertEquals(List.of(ForecastState.WARMING, FloorReason.WARMING_UP), List.of(first.state(), first.reason()));
            assertEquals(OptionalInt.empty(), first.needReplicas());
            assertEquals(OptionalDouble.empty(), first.load());
            drive(forecast, 0, 2 * 1440 + 56);
            Floor floor = forecast.floor(5, 4, 4, 40);
            assertEquals(List.of(ForecastState.ON, 12), List.of(floor.state(), floor.replicas()));
            forecast.charge(floor.replicas(), 4);
            assertTrue(((Number) forecast.describe().object().get("skill_percent")).doubleValue() > 2);
        }
    }

    @Test
    void aForecastThatWasSavedGoesOn() {
        try (Forecast first = Forecast.open(); Forecast other = Forecast.open()) {
            drive(first, 0, 300);
            first.add(Support.NOW.plusSeconds(300 * 60), Double.NaN);
            other.load(first.save());
            drive(first, 301, 400);
            drive(other, 301, 400);
            assertEquals(first.save(), other.save());
            assertThrows(GputideException.WrongState.class, () -> other.load("{}"));
        }
    }

    @Test
    void aWrongSettingIsNamed() {
        GputideException.Invalid wrong = assertThrows(GputideException.Invalid.class, () -> Forecast.open("{\"lead_ms\":5}"));
        assertEquals("lead_ms", wrong.where());
    }

    @Test
    void aPlanSaysWhatItIsOf() {
        String pod = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"},"
                + "\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"1\"}}}]},"
                + "\"status\":{\"phase\":\"Pending\"}}";
        NodesPlan plan = NodesPlan.of(pod, "", Support.NOW);
        assertEquals(plan.podsPending(), plan.podsOnExisting() + plan.podsOnNew() + plan.podsLeft());
        assertTrue(plan.report().value() != null);
        NodesPlan next = NodesPlan.of(pod, plan.nextState(), Support.NOW.plusSeconds(15));
        assertEquals(plan.podsPending(), next.podsPending());
        assertThrows(GputideException.WrongState.class, () -> NodesPlan.of(pod, "no state", Support.NOW));
    }
}
