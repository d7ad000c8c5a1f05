module github.com/gputide/gputide/bench/bindings/go

go 1.24

require github.com/gputide/gputide/bindings/go v0.2.0

replace github.com/gputide/gputide/bindings/go => ../../../bindings/go
