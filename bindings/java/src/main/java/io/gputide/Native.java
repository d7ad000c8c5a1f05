// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

/** The functions of gputide.h under their names without gputide_.  Only where {@link Library#open} has returned. */
final class Native {
    private Native() {}

    static native int manifestCheck(long manifest, long sizeBytes, long options, long report, long lines, long
            err);

    static native int scalerOpen(long manifest, long sizeBytes, long options, long out, long err);

    static native void scalerFree(long scaler);

    static native int scalerTick(long scaler, long observation, int timeoutMs, long cancel, long out, long
            report, long err);

    static native int scalerRecord(long scaler, long decision, int applied, long nowMs, long err);

    static native int scalerSave(long scaler, long out, long err);

    static native int scalerLoad(long scaler, long text, long sizeBytes, long err);

    static native int scalerDescribe(long scaler, long json, long err);

    static native void textFree(long text);

    static native long sampleStateName(int state);

    static native long limitName(int limit);

    static native long eventName(int event);

    static native long conditionName(int condition);

    static native long reasonName(int reason);

    static native long statusName(int status);

    static native long actionName(int action);

    static native int cancelNew(long out, long err);

    static native void cancelFire(long cancel);

    static native void cancelFree(long cancel);

    static native int policyOpen(long manifest, long sizeBytes, long options, long out, long err);

    static native void policyFree(long policy);

    static native int policyMetricCount(long policy);

    static native long policyMetricName(long policy, int metric);

    static native int policyDescribe(long policy, long json, long err);

    static native int stateNew(long policy, long createdMs, long out, long err);

    static native void stateFree(long state);

    static native int stateSave(long policy, long state, long out, long err);

    static native int stateDescribe(long policy, long state, long json, long err);

    static native int stateLoad(long policy, long text, long sizeBytes, int flags, long out, long err);

    static native int decide(long policy, long state, long observation, long out, long report, long err);

    static native int decideValues(long policy, long state, long nowMs, int currentReplicas, long values, int
            count, long out, long err);

    static native int stateRecord(long policy, long state, long decision, int applied, long nowMs, long err);

    static native int reportRender(long report, long sizeBytes, long lines, long err);

    static native long version();

    static native int features();

    static native long buildInfo();

    static native int credentialOpen(long text, long sizeBytes, long options, long out, long err);

    static native void credentialFree(long credential);

    static native int credentialToken(long credential, long scope, int timeoutMs, long cancel, long token,
            long info, long err);

    static native int credentialInvalidate(long credential, long scope, long token, long tokenBytes, long
            err);

    static native int tokenClaims(long token, long tokenBytes, long json, long err);

    static native int sourceOpen(long text, long sizeBytes, long options, long out, long err);

    static native void sourceFree(long source);

    static native int sourceFetch(long source, long nowMs, int timeoutMs, long cancel, long out, long err);

    static native int sourceFetchAll(long source, long nowMs, int timeoutMs, long cancel, long json, long
            err);

    static native int sourceDescribe(long source, long json, long err);

    static native int sourceRequest(long source, long nowMs, long json, long err);

    static native int sourceParse(long source, int httpStatus, long body, long bodyBytes, long out, long err);

    static native int sourceParseAll(long source, int httpStatus, long headers, long headersBytes, long body,
            long bodyBytes, long json, long err);

    static native int doctor(long manifest, long sizeBytes, long options, long observation, int timeoutMs,
            long cancel, long report, long lines, long err);

    static native int logOpen(int level, long out, long err);

    static native int logNext(long reader, int timeoutMs, long cancel, long line, long level, long err);

    static native void logClose(long reader);

    static native void logFree(long reader);

    static native int quantity(long text, long sizeBytes, long milli, long err);

    static native int runtimeNew(long options, long out, long err);

    static native int runtimeClose(long runtime, int timeoutMs, long err);

    static native void runtimeFree(long runtime);

    static native int runtimeAdd(long runtime, long manifest, long sizeBytes, long options, long tag, long id,
            long err);

    static native int runtimeReplace(long runtime, long id, long manifest, long sizeBytes, long options, long
            tag, long err);

    static native int runtimeRemove(long runtime, long id, long err);

    static native int runtimeFind(long runtime, long name, long id, long err);

    static native int runtimeNextScaler(long runtime, long afterId, long id, long err);

    static native int runtimeObserve(long runtime, long id, long observation, long err);

    static native int runtimePush(long runtime, long id, long samples, int sampleSize, int count, long err);

    static native long eventKindName(int kind);

    static native int runtimeNextEvent(long runtime, int timeoutMs, long cancel, long event, long decision,
            long report, long err);

    static native int runtimeRecord(long runtime, long id, long decision, int applied, long nowMs, long err);

    static native int runtimeSave(long runtime, long id, long out, long err);

    static native int runtimeLoad(long runtime, long id, long text, long sizeBytes, long err);

    static native int runtimeDescribe(long runtime, long id, long json, long err);

    static native int runtimeStats(long runtime, long json, long err);

    static native int runtimeStart(long runtime, long err);

    static native int runtimeStop(long runtime, int timeoutMs, long err);

    static native int runtimeStep(long runtime, long nowMs, long nextMs, long err);

    static native int runtimeWakeFd(long runtime, long fd, long err);

    static native int forecastOpen(long settings, long sizeBytes, long out, long err);

    static native void forecastFree(long forecast);

    static native int forecastAdd(long forecast, long nowMs, double load, long err);

    static native int forecastFloor(long forecast, double target, int reactiveReplicas, int currentReplicas,
            int maxReplicas, long out, long err);

    static native int forecastCharge(long forecast, int writtenReplicas, int shadowReplicas, long err);

    static native int forecastDescribe(long forecast, long json, long err);

    static native int forecastSave(long forecast, long out, long err);

    static native int forecastLoad(long forecast, long text, long sizeBytes, long err);

    static native long forecastStateName(int state);

    static native long floorReasonName(int reason);

    static native int seriesNew(long out, long err);

    static native void seriesFree(long series);

    static native int seriesAdd(long series, int metric, long timesMs, long values, long count, long err);

    static native int seriesAddReplicas(long series, long timesMs, long replicas, long count, long err);

    static native int seriesRead(long series, int metric, long text, long sizeBytes, long scaler, long err);

    static native int seriesFetch(long series, long scaler, int metric, long startMs, long endMs, long stepMs,
            int timeoutMs, long cancel, long err);

    static native int seriesWrite(long series, long csv, long err);

    static native int seriesDescribe(long series, long json, long err);

    static native int replayOpen(long manifest, long sizeBytes, long options, long settings, long
            settingsBytes, long out, long err);

    static native void replayFree(long replay);

    static native int replayRun(long replay, long series, long cancel, long err);

    static native int replayRecord(long replay, long timeMs, long samples, int sampleSize, int sampleCount,
            int replicas, long last, long err);

    static native int replayReport(long replay, long json, long err);

    static native int nodesPlan(long text, long sizeBytes, long state, long stateBytes, long nowMs, long
            summary, long json, long nextState, long err);

    static native int rightsizeOpen(long settings, long sizeBytes, long options, long out, long err);

    static native void rightsizeFree(long rightsize);

    static native int rightsizeDescribe(long rightsize, long json, long err);

    static native int rightsizeContainer(long rightsize, long name, long number, long err);

    static native int rightsizeAdd(long rightsize, long samples, int sampleSize, int count, long counted, long
            err);

    static native int rightsizeRecommend(long rightsize, int container, long nowMs, long json, long err);

    static native int rightsizeFit(long rightsize, long memoryBytes, double utilPercent, long json, long err);

    static native int rightsizeSave(long rightsize, int container, long nowMs, long out, long err);

    static native int rightsizeLoad(long rightsize, int container, long text, long sizeBytes, long err);

    static native int scaledJobDecide(long manifest, long sizeBytes, long options, long observation, long
            observationBytes, long decision, long err);

    static native int clusterAttach(long runtime, long settings, long sizeBytes, long options, long err);

    static native int clusterDetach(long runtime, int timeoutMs, long err);

    static native int clusterDescribe(long runtime, long json, long err);

    static native int clusterDoctor(long settings, long sizeBytes, long options, int timeoutMs, long cancel,
            long report, long lines, long err);

    static native int clusterList(long path, long options, int timeoutMs, long cancel, long json, long err);

    static native int clusterHandover(long change, long sizeBytes, long options, int timeoutMs, long cancel,
            long json, long err);

    static native int agentPoolWrite(long credential, long change, long sizeBytes, int timeoutMs, long cancel,
            long json, long err);
}
