module gputide/tests/originals/lines

go 1.26.0
