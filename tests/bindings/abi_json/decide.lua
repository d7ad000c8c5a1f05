-- A decision and a failure through the module that luajit.py has written; prints a line for each thing that it finds.
local gputide = require('gputide')
local ffi = require('ffi')

local manifest = [[
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: demo}
spec:
  scaleTargetRef: {name: demo}
  maxReplicaCount: 20
  triggers: [{type: values, metadata: {threshold: "5"}}]
]]

local policy = assert(gputide.policy_open(manifest))
local state = assert(gputide.state_new(policy, 0))
local decision = assert(gputide.decide_values(policy, state, 1795255200000LL, 3, {42.5}))
print(string.format('%d -> %d, limited by %s', decision.current_replicas, decision.desired_replicas,
    gputide.limit_name(decision.limited_by)))
print(gputide.policy_metric_name(policy, 0), gputide.policy_metric_name(policy, 9))
local again = assert(gputide.state_load(policy, assert(gputide.state_save(policy, state)), 0))
gputide.state_free(again)

local nothing, failure = gputide.policy_open((manifest:gsub('"5"', '"many"')))
assert(nothing == nil)
print(gputide.status_name(failure.status), ffi.string(failure.message))
print(pcall(gputide.policy_open, nil))
gputide.state_free(state)
gputide.policy_free(policy)
