package io.gputide.conformance;

import io.gputide.Action;
import io.gputide.Condition;
import io.gputide.ConditionState;
import io.gputide.Decision;
import io.gputide.Event;
import io.gputide.Floor;
import io.gputide.GputideException;
import io.gputide.NodesPlan;
import io.gputide.Numbered;
import io.gputide.Sample;
import io.gputide.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What calls come to, as protocol 1 has the structs of gputide.h. */
final class ResultsOut {
    private static final int CONDITION_ROOM = 16; // GPUTIDE_CONDITION_ROOM

    private ResultsOut() {}

    static Map<String, Object> error(GputideException problem) {
        Map<String, Object> out = error(problem.status(), problem.what());
        out.put("action", problem.action().number());
        out.put("retryable", problem.isRetryable() ? 1 : 0);
        out.put("http_status", problem.httpStatus().orElse(0));
        out.put("retry_at_ms", Values.out(problem.retryAt()));
        out.put("service_code", problem.serviceCode());
        out.put("where", problem.where());
        out.put("detail", problem.detail().map(Object::toString).orElse(""));
        return out;
    }

    /** What this package refuses by itself. */
    static Map<String, Object> error(Status status, String message) {
        Map<String, Object> out = new TreeMap<>();
        out.put("status", status.number());
        out.put("action", Action.NONE.number());
        out.put("retryable", 0);
        out.put("http_status", 0);
        out.put("retry_at_ms", 0);
        out.put("service_code", "");
        out.put("where", "");
        out.put("message", message);
        out.put("detail", "");
        return out;
    }

    static Map<String, Object> sample(Sample given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("state", given.state().number());
        out.put("status", given.status().number());
        out.put("flags", given.isNullAsZero() ? 1 : 0);
        out.put("value", given.value().orElse(0));
        out.put("time_ms", Values.out(given.time()));
        return out;
    }

    static Map<String, Object> decision(Decision given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("flags", given.flags());
        out.put("id", Values.outUnsigned(given.id()));
        out.put("now_ms", Values.out(given.now().toEpochMilli()));
        out.put("next_due_ms", Values.out(given.nextDue().toEpochMilli()));
        out.put("current_replicas", given.current());
        out.put("desired_replicas", given.desired());
        out.put("proposed_replicas", given.proposed());
        out.put("limited_by", given.limitedBy().number());
        out.put("source", given.source().map(Numbered::number).orElse(0));
        out.put("winner", given.winner());
        out.put("failed_metric", given.failedMetric());
        out.put("event", given.event().number());
        out.put("conditions", conditions(given.conditions()));
        out.put("forecast_state", given.forecastState().map(Numbered::number).orElse(0));
        out.put("forecast_need", given.forecastNeed().orElse(-1));
        return out;
    }

    private static List<Object> conditions(Map<Condition, ConditionState> given) {
        List<Object> out = new ArrayList<>();
        for (int index = 0; index < CONDITION_ROOM; index++) {
            ConditionState one = given.get(Condition.of(index));
            Map<String, Object> condition = new TreeMap<>();
            condition.put("truth", one == null ? 0 : one.truth().number());
            condition.put("reason", one == null ? 0 : one.reason().number());
            condition.put("since_ms", one == null ? 0 : Values.out(one.since()));
            out.add(condition);
        }
        return out;
    }

    static Map<String, Object> floor(Floor given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("state", given.state().number());
        out.put("reason", given.reason().number());
        out.put("replicas", given.replicas());
        out.put("need_replicas", given.needReplicas().orElse(-1));
        out.put("floor_load", given.load().isPresent() ? (Object) given.load().getAsDouble() : "NaN");
        return out;
    }

    static Map<String, Object> event(Event given) {
        Map<String, Object> out = new TreeMap<>();
        out.put("kind", given.kind().number());
        out.put("id", Values.outUnsigned(given.id()));
        out.put("tag", Values.outUnsigned(given.tag()));
        out.put("sequence", Values.outUnsigned(given.sequence()));
        out.put("observed_ms", Values.out(given.observed()));
        out.put("replaced", given.replaced());
        out.put("name", given.name());
        return out;
    }

    static Map<String, Object> summary(NodesPlan plan) {
        Map<String, Object> out = new TreeMap<>();
        out.put("errors", plan.errors());
        out.put("warnings", plan.warnings());
        out.put("nodes_to_add", Values.out(plan.nodesToAdd()));
        out.put("nodes_to_remove", Values.out(plan.nodesToRemove()));
        out.put("pods_pending", Values.out(plan.podsPending()));
        out.put("pods_on_existing", Values.out(plan.podsOnExisting()));
        out.put("pods_on_new", Values.out(plan.podsOnNew()));
        out.put("pods_left", Values.out(plan.podsLeft()));
        return out;
    }
}
