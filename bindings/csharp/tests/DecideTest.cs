using System;
using System.Linq;
using Gputide;

/// <summary>Decisions, their values, their exceptions.</summary>
internal static class DecideTest {
    public static void ADecisionAndItsRecord() {
        using (Policy policy = Policy.Open(Support.ScaledObject()))
        using (State state = policy.NewState()) {
            Decision decision = state.Decide(new Observation(3, 42.5) { Now = Support.Now }, withReport: true);
            Support.Same("3 -> 6, proposed 9, limited by ScaleUp", decision.ToString());
            Support.Same("scale_up_limit", decision.LimitedBy.Spelled());
            Support.Same("2026-11-21T10:00:00.000Z", decision.Now.ToString());
            Support.That(decision.WantsWrite && decision.IsActive && !decision.IsFailed && decision.IsByHpa, "flags");
            Support.Same(Truth.True, decision.Conditions[Condition.ScalingActive].Truth);
            Support.Same("ValidMetricFound", decision.Conditions[Condition.ScalingActive].Reason.ToString());
            Support.Contains(decision.Report, "\"trace\"");
            Support.Contains(decision.Explain(), "Trace:");
            Decision recorded = state.Record(decision, true, Support.Now);
            Support.Same("SucceededRescale", recorded.Conditions[Condition.AbleToScale].Reason.ToString());
            Support.Same(decision.Id, recorded.Id);
            Support.That(!recorded.Equals(decision), "immutable");
        }
    }

    public static void BothWaysOfDecidingAgree() {
        using (Policy policy = Policy.Open(Support.ScaledObject()))
        using (State state = policy.NewState(), other = policy.NewState()) {
            Decision decision = state.Decide(Support.Now, 3, 42.5);
            Decision same = other.Decide(new Observation(3, 42.5) { Now = Support.Now });
            Support.Same(decision.ToString(), same.ToString());
            Support.That(decision.Equals((object) decision) && !decision.Equals(null), "equality");
        }
    }

    public static void AStateSurvivesARestart() {
        using (Policy policy = Policy.Open(Support.ScaledObject()))
        using (State state = policy.NewState(Support.Now)) {
            state.Decide(Support.Now, 3, 42.5);
            using (State loaded = policy.LoadState(state.Save()), described = policy.LoadState(state.Describe(), isDescribed: true)) {
                Support.Same(state.Describe(), loaded.Describe());
                Support.Same(state.Describe(), described.Describe());
            }
            Support.Throws<GputideException.WrongState>(() => policy.LoadState("foreign"));
        }
    }

    public static void SamplesSayWhyThereIsNoNumber() {
        using (Policy policy = Policy.Open(Support.ScaledObject()))
        using (State state = policy.NewState()) {
            Sample failed = Sample.Failed(SampleState.Timeout, Status.Timeout, "no response");
            Decision decision = state.Decide(new Observation(3, failed) { Now = Support.Now });
            Support.Same(3, decision.Desired);
            Support.That(decision.IsFailed, "failed");
            Support.Same(0, decision.FailedMetric);
            Support.Same(SampleState.NotANumber, new Sample(double.NaN).State);
            Support.Same(SampleState.NotGiven, new Sample().State);
        }
    }

    public static void AnExceptionPerStatus() {
        var problem = Support.Throws<GputideException.Invalid>(
            () => Policy.Open(Support.ScaledObject().Replace("\"5\"", "\"many\""), new Options { TextName = "so.json" }));
        Support.Same(Status.Invalid, problem.Status);
        Support.Same(NextAction.FixConfiguration, problem.Action);
        Support.Same("E_INVALID", problem.Status.Spelled());
        Support.Contains(problem.Where, "so.json:1 spec.triggers[0].metadata.threshold");
        Support.Contains(problem.What, "many");
        Support.Same(problem.Where + ": " + problem.What, problem.Message);
        var kinds = typeof(GputideException).GetNestedTypes().Select(type => type.Name).ToArray();
        Support.Same(Enum.GetValues(typeof(Status)).Length - 1, kinds.Length);
    }

    public static void FindingsAreNotExceptions() {
        Findings fine = Manifest.Check(Support.ScaledObject());
        Support.That(fine.IsOk, fine.Lines);
        Findings wrong = Manifest.Check(Support.ScaledObject().Replace("\"5\"", "\"many\""));
        Support.That(wrong.Error is GputideException.Invalid, wrong.Lines);
        Support.Contains(wrong.Lines, "threshold");
        Diagnosis diagnosis = Manifest.Doctor(Support.ScaledObject(), null, new Observation(1, 3) { Now = Support.Now });
        Support.Contains(diagnosis.Report, "\"triggers\"");
    }

    public static void QuantitiesAndFeatures() {
        Support.Same(1500L, Library.Quantity("1500m"));
        Support.That(Library.Features.Contains("kubernetes"), "features");
        Support.Contains(Library.BuildInfo(), "compiler");
        Support.Same("{\"sub\":\"me\"}", Token.Claims("eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x"));
    }

    public static void EachNumberOfANewerLibraryStaysANumber() {
        Support.Same(77, (int) (Limit) 77);
        Support.That(!string.IsNullOrEmpty(((Limit) 77).Spelled()), "spelled");
    }
}
