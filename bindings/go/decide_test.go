//go:build linux && cgo

package gputide_test

import (
	"math"
	"strings"
	"testing"
	"time"

	gputide "github.com/gputide/gputide/bindings/go"
)

const hpa = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {kind: Deployment, name: web}
  maxReplicas: 10
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
`

func TestThePolicyOfNumbersCGoesFrom3To6(t *testing.T) {
	noneLeft(t)
	state := stateOf(t, policyOf(t, scaledObject()))
	decision, err := state.Decide(observation(3, 42.5))
	must(t, err)
	equal(t, "decision", decision.String(), "3 -> 6 (proposed 9, limited by scale_up_limit)")
	equal(t, "limited by", decision.LimitedBy, gputide.LimitScaleUp)
	equal(t, "flags", decision.WantsWrite() && decision.Active && decision.ByHPA && decision.ByExecutor && !decision.Failed, true)
	equal(t, "now", decision.Now, now)
	equal(t, "next due", decision.NextDue, now.Add(15*time.Second))
	equal(t, "winner", decision.Winner, 0)
	equal(t, "failed metric", decision.FailedMetric, -1)
}

func TestNumbersSamplesAndReportsDecideAlike(t *testing.T) {
	noneLeft(t)
	policy := policyOf(t, scaledObject())
	elsewhere := now.In(time.FixedZone("CET", 3600))
	for name, decide := range map[string]func(*gputide.State) (gputide.Decision, error){
		"values":       func(s *gputide.State) (gputide.Decision, error) { return s.DecideValues(now, 3, 42.5) },
		"another zone": func(s *gputide.State) (gputide.Decision, error) { return s.DecideValues(elsewhere, 3, 42.5) },
		"observation":  func(s *gputide.State) (gputide.Decision, error) { return s.Decide(observation(3, 42.5)) },
		"report":       func(s *gputide.State) (gputide.Decision, error) { return s.DecideWithReport(observation(3, 42.5)) },
	} {
		decision, err := decide(stateOf(t, policy))
		must(t, err)
		equal(t, name, decision.String(), "3 -> 6 (proposed 9, limited by scale_up_limit)")
		equal(t, name+" has a report", decision.Report != nil, name == "report")
	}
}

func TestAMetricWithoutANumberFails(t *testing.T) {
	noneLeft(t)
	policy := policyOf(t, scaledObject())
	failed := gputide.Sample{State: gputide.SampleTimeout, Status: gputide.StatusTimeout, Message: "no answer"}
	for _, samples := range [][]gputide.Sample{gputide.Values(math.NaN()), gputide.Values(math.Inf(1)), {failed}} {
		decision, err := stateOf(t, policy).Decide(gputide.Observation{Current: 3, Samples: samples, Now: now})
		must(t, err)
		equal(t, "desired", decision.Desired, 3)
		equal(t, "failed", decision.Failed, true)
		equal(t, "failed metric", decision.FailedMetric, 0)
	}
	decision, err := stateOf(t, policy).DecideWithReport(gputide.Observation{Current: 3, Samples: []gputide.Sample{failed}, Now: now})
	must(t, err)
	if !strings.Contains(string(decision.Report), "no answer") {
		t.Errorf("the report does not say why: %s", decision.Report)
	}
}

func TestPodsWithTheirRequests(t *testing.T) {
	noneLeft(t)
	observation := gputide.Observation{Current: 2, Now: now}
	for pod := 1; pod <= 2; pod++ {
		observation.Pods = append(observation.Pods, gputide.Pod{
			Name: "web", Phase: gputide.PodRunning, Ready: gputide.ReadyYes, StartTime: now.Add(-time.Hour),
		})
		observation.PodSamples = append(observation.PodSamples, gputide.PodSample{Pod: pod, ValueMilli: 90, RequestMilli: 100})
	}
	decision, err := stateOf(t, policyOf(t, []byte(hpa))).DecideWithReport(observation)
	must(t, err)
	equal(t, "desired", decision.Desired, 4)
	lines, err := decision.Explain()
	must(t, err)
	if !strings.Contains(lines, "90 %") {
		t.Errorf("no utilization in the explanation: %s", lines)
	}
}

func TestRecordsChangeTheDecisionAndAreTakenOnce(t *testing.T) {
	noneLeft(t)
	state := stateOf(t, policyOf(t, scaledObject()))
	decision, err := state.Decide(observation(3, 42.5))
	must(t, err)
	must(t, state.RecordAt(&decision, true, now))
	able := decision.Condition(gputide.ConditionAbleToScale)
	equal(t, "able to scale", able, gputide.ConditionState{Truth: gputide.TruthTrue, Reason: able.Reason, Since: now})
	equal(t, "reason", able.Reason.String(), "SucceededRescale")
	before := decision
	is(t, state.RecordAt(&decision, true, now), gputide.ErrState)
	equal(t, "a failed record changes nothing", decision.String(), before.String())
	set := 0
	for condition, conditionState := range decision.Conditions() {
		equal(t, condition.String(), decision.Condition(condition), conditionState)
		set++
	}
	if set < 4 {
		t.Errorf("only %d conditions are set", set)
	}
	equal(t, "a condition beyond the buffer", decision.Condition(99), gputide.ConditionState{})
}

func TestStatesAreSavedAndLoaded(t *testing.T) {
	noneLeft(t)
	policy := policyOf(t, scaledObject())
	state := stateOf(t, policy)
	_, err := state.Decide(observation(3, 42.5))
	must(t, err)
	saved, err := state.Save()
	must(t, err)
	loaded, err := policy.LoadState(saved)
	closing(t, loaded, err)
	description, err := state.Describe()
	must(t, err)
	unchecked, err := policy.LoadStateUnchecked(description)
	closing(t, unchecked, err)
	for _, each := range []*gputide.State{state, loaded, unchecked} {
		decision, err := each.DecideValues(now.Add(30*time.Second), 6, 1)
		must(t, err)
		equal(t, "later, stabilized", decision.Desired, 9)
	}
	_, err = policy.LoadState([]byte("not a state"))
	is(t, err, gputide.ErrState)
	equal(t, "metrics", strings.Join(policy.Metrics(), " "), "s0-values")
}

func TestAStateDecidesAfterItsPolicyIsClosed(t *testing.T) {
	noneLeft(t)
	policy, err := gputide.OpenPolicy(scaledObject(), nil)
	must(t, err)
	state := stateOf(t, policy)
	must(t, policy.Close())
	decision, err := state.DecideValues(now, 3, 42.5)
	must(t, err)
	equal(t, "desired", decision.Desired, 6)
	_, err = policy.Describe()
	is(t, err, gputide.ErrClosed)
}

func TestADecisionFromNumbersAllocatesNothing(t *testing.T) {
	state := stateOf(t, policyOf(t, scaledObject()))
	at := now
	allocations := testing.AllocsPerRun(1000, func() {
		at = at.Add(15 * time.Second)
		if _, err := state.DecideValues(at, 3, 42.5); err != nil {
			t.Fatal(err)
		}
	})
	if allocations >= 1 {
		t.Errorf("%v allocations", allocations)
	}
}

func TestAWrongCountOfNumbersIsAnError(t *testing.T) {
	state := stateOf(t, policyOf(t, scaledObject()))
	_, err := state.DecideValues(now, 3, 1, 2)
	is(t, err, gputide.ErrInvalid)
	_, err = state.DecideValues(now, 3)
	is(t, err, gputide.ErrInvalid)
	_, err = state.DecideValues(time.UnixMilli(0), 3, 1)
	is(t, err, gputide.ErrInvalid)
}

func TestNumbersOfANewerLibraryStayNumbers(t *testing.T) {
	equal(t, "a limit", gputide.Limit(99).String(), "unknown")
	equal(t, "a level", gputide.LogLevel(9).String(), "LogLevel(9)")
	equal(t, "a level", gputide.LogInfo.String(), "info")
	equal(t, "a status", gputide.StatusThrottled.String(), "E_THROTTLED")
	equal(t, "a reason", gputide.Reason(9999).String(), "unknown")
	equal(t, "an action", gputide.ActionFixCredentials.String(), "fix_credentials")
}
