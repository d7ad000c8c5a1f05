//go:build linux

package gputide

// #include "frame.h"
import "C"

import (
	"encoding/json"
	"time"
	"unsafe"
)

// A Forecast is the load of the next start-up time, for a host that scales in a loop of its own; in a manifest gputide.io/forecast
// does all of this. It learns from one load per pass (what must be served in total), scores itself against "nothing will change", and
// gives a floor for the size that the host came to without it. Each pass: Add, decide, Floor, write the size, Charge.
type Forecast struct{ *handle }

// OpenForecast takes settings: JSON, {"lead_ms":300000,"budget_percent":5,"mode":"act"}; every member and its default is in
// docs/json.md (forecast_describe); nil: the defaults.
func OpenForecast(settings json.RawMessage) (*Forecast, error) {
	pointer, err := openPlain(func(f *frame) C.gputide_status {
		text, size := optionalBytes(settings)
		return C.gputide_forecast_open(text, size, (**C.gputide_forecast)(unsafe.Pointer(&f.c.handle)), &f.c.err)
	})
	if err != nil {
		return nil, err
	}
	free := func(p unsafe.Pointer) { C.gputide_forecast_free((*C.gputide_forecast)(p)) }
	return &Forecast{newHandle("Forecast", pointer, free, nil).takingTurns()}, nil
}

func (f *Forecast) c() *C.gputide_forecast { return (*C.gputide_forecast)(f.pointer) }

// Add adds the load of a pass. NaN, an infinity or a negative number: the load could not be read. A time in a slot that has ended is
// ignored and counted; a time far back means that the clock was set. now: the zero Time is the clock's.
func (f *Forecast) Add(now time.Time, load float64) error {
	return f.do(func(room *frame) C.gputide_status {
		return C.gputide_forecast_add(f.c(), nowOf(now), C.double(load), &room.c.err)
	})
}

// A Sizing is what a pass came to without the forecast.
type Sizing struct {
	Target   float64 // load that one replica takes, more than 0
	Reactive int32   // the size without the forecast, before rate limits and bounds
	Current  int32   // replicas now; 0: the workload is off, and stays so
	Max      int32   // the floor does not pass it
}

// A Floor is what came of a Sizing.
type Floor struct {
	State    ForecastState // how the forecast stands
	Reason   FloorReason
	Replicas int32   // Sizing.Reactive or more, never above Sizing.Max because of the forecast
	Need     int32   // replicas that Load takes; -1: it asks for nothing
	Load     float64 // to be ready for; NaN: it asks for nothing
}

// Floor returns the floor for the size that this pass computed.
//
// Worked: floor load 117.39, target 10, reactive 10, max 40: 12.
func (f *Forecast) Floor(pass Sizing) (Floor, error) {
	var floor Floor
	err := f.do(func(room *frame) C.gputide_status {
		raw := (*C.gputide_floor)(room.alloc(C.sizeof_gputide_floor))
		raw.struct_size = C.sizeof_gputide_floor
		status := C.gputide_forecast_floor(f.c(), C.double(pass.Target), C.int32_t(pass.Reactive), C.int32_t(pass.Current),
			C.int32_t(pass.Max), raw, &room.c.err)
		if status == C.GPUTIDE_OK {
			floor = Floor{ForecastState(raw.state), FloorReason(raw.reason), int32(raw.replicas), int32(raw.need_replicas), float64(raw.floor_load)}
		}
		return status
	})
	return floor, err
}

// Charge charges the budget: the size that was written, and the size that the same rules without the forecast would have written
// (their own history and size). Once per pass, after Floor.
func (f *Forecast) Charge(written, shadow int32) error {
	return f.do(func(room *frame) C.gputide_status {
		return C.gputide_forecast_charge(f.c(), C.int32_t(written), C.int32_t(shadow), &room.c.err)
	})
}

// Describe says what it forecasts, how good it has been and what it cost.
func (f *Forecast) Describe() (json.RawMessage, error) {
	return f.text(func(room *frame) C.gputide_status {
		return C.gputide_forecast_describe(f.c(), &room.c.text, &room.c.err)
	})
}

// Save gives a text that survives a restart, for [Forecast.Load].
func (f *Forecast) Save() ([]byte, error) {
	return f.text(func(room *frame) C.gputide_status { return C.gputide_forecast_save(f.c(), &room.c.text, &room.c.err) })
}

// Load goes on as the forecast that was saved. One of another lead keeps patterns and account and learns the rest anew, one of another
// slot starts anew. With an [ErrState] (a damaged, foreign or newer text) nothing has changed.
func (f *Forecast) Load(saved []byte) error {
	return f.do(func(room *frame) C.gputide_status {
		text, size := bytesOf(saved)
		return C.gputide_forecast_load(f.c(), text, size, &room.c.err)
	})
}
