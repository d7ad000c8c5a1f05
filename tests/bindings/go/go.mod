module github.com/gputide/gputide/tests/bindings/go

go 1.24

require github.com/gputide/gputide/bindings/go v0.0.0

replace github.com/gputide/gputide/bindings/go => ../../../bindings/go
