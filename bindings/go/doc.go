// Package gputide gives the replica count that KEDA and the HPA would write, from the manifest that you already have, inside your
// own process.
//
//	scaler, err := gputide.OpenScaler(manifest, &gputide.Options{AllowEnvironment: true})
//	if err != nil {
//		return err
//	}
//	defer scaler.Close()
//	decision, err := scaler.Tick(ctx, gputide.Observation{Current: 3})
//	if err != nil {
//		return err
//	}
//	fmt.Println(decision.Current, "->", decision.Desired, decision.LimitedBy)
//
// Numbers alone: [Policy], [State]. A manifest as a whole: [Scaler], [CheckManifest], [Doctor]. Many of them: [Runtime]. One
// metric: [Source]. Tokens: [Credential]. Recorded days: [Series], [Replay]. The load ahead, in a loop of one's own: [Forecast].
// Nodes for pods that wait: [PlanNodes]. What a workload really needs: [Rightsize]. Work that comes as jobs: [DecideScaledJob]. A
// cluster without a runtime: [ListCluster], [DoctorCluster], [HandOver]. The library's log: [LogTo].
//
// # Library
//
// libgputide-full.so.1 is opened when something of it is first used, once per process: the path given to [Load], else that of the
// environment variable GPUTIDE_LIBRARY, else by the system's search. The first two are final. Where none is usable, calls return a
// [LibraryError], which lists the places and what is wrong there. With the build tag gputide_link the program is linked with the
// library that pkg-config finds instead.
//
// # Handles
//
// What has a Close method holds memory of the library. Close may be repeated; it refuses new calls with [ErrClosed], ends those that
// wait, and returns when no call is inside. No handle needs another to live. The garbage collector
// frees a forgotten one at some time, after the last call on it has returned.
//
// Any method may be called from any goroutine. Calls on a [State], [Scaler], [Source], [Replay], [Forecast], [Rightsize] or
// [LogReader] take turns; those on a [Policy], [Credential] or [Runtime] run side by side, as do runs over one [Series].
//
// # Waiting
//
// What may wait takes a context. Its deadline is the call's timeout (without one: 10 seconds, of [Doctor], [DoctorCluster],
// [ListCluster], [HandOver] and [Series.Fetch] 60), its end ends the call, and the error then wraps ctx.Err(). A call holds an operating system's
// thread while it waits; many triggers are the [Runtime]'s, which waits for all of them in one.
//
// # Values
//
// The zero [time.Time] is "not given": for the time of an observation, a record, a sample or a plan it is the clock's. JSON comes as
// [encoding/json.RawMessage]; docs/json.md of the library lists its members. Names and paths cannot hold a NUL character: that is an
// [ErrNUL], as C would cut them there.
package gputide
