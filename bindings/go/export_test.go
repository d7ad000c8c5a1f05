package gputide

import "time"

// What the tests see of the inside.

func SecretToken(value string, expires time.Time) Token { return Token{value: value, Expires: expires} }

func Milliseconds(d time.Duration) int32 { return int32(milliseconds(d)) }
