module github.com/gputide/gputide/bindings/go

go 1.24
