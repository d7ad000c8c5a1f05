package main

import (
	"errors"

	gputide "github.com/gputide/gputide/bindings/go"
)

func credential(c *call) *gputide.Credential { return named[*gputide.Credential](c, "credential") }

var credentialCalls = table{
	"credential.open":  opening("text", gputide.OpenCredential),
	"credential.token": fetchToken,
	"credential.invalidate": func(c *call) error {
		return credential(c).Invalidate(c.word("scope"), c.word("token"))
	},
	"token.claims": func(c *call) error {
		claims, err := gputide.TokenClaims(c.word("token"))
		return givesText(c, "json", claims, err)
	},
}

func fetchToken(c *call) error {
	ctx, stop := c.context()
	defer stop()
	token, err := credential(c).Token(ctx, c.word("scope"))
	if err != nil {
		return err
	}
	c.result["token"] = token.Value()
	c.result["info"] = object{
		"expires_at_ms": momentOut(token.Expires), "refresh_at_ms": momentOut(token.Refresh),
		"usable_until_ms": momentOut(token.UsableUntil),
	}
	return nil
}

func source(c *call) *gputide.Source { return named[*gputide.Source](c, "source") }

func samples(c *call) *gputide.Samples { return named[*gputide.Samples](c, "samples") }

var sourceCalls = table{
	"source.open": opening("text", gputide.OpenSource),
	"source.fetch": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		sample, err := source(c).FetchAt(ctx, c.moment("now_ms"))
		return givesSample(c, sample, err)
	},
	"source.fetch_all": func(c *call) error {
		ctx, stop := c.context()
		defer stop()
		samples, err := source(c).FetchAllAt(ctx, c.moment("now_ms"))
		return opens(c, samples, err)
	},
	"source.parse": func(c *call) error {
		sample, err := source(c).Parse(int(c.integer("http_status")), c.text("body"))
		return givesSample(c, sample, err)
	},
	"source.parse_all": func(c *call) error {
		samples, err := source(c).ParseAll(int(c.integer("http_status")), c.headers(), c.text("body"))
		return opens(c, samples, err)
	},
	"source.request": func(c *call) error {
		request, err := source(c).Request(c.moment("now_ms"))
		return givesText(c, "json", request, err)
	},
	"source.describe": textOf("source", "json", (*gputide.Source).Describe),
	"samples.count":   func(c *call) error { return gives(c, "count", samples(c).Len(), nil) },
	"samples.get": func(c *call) error {
		sample, err := samples(c).At(int(c.integer("index")))
		return gives(c, "sample", sampleOut(sample), err)
	},
	"samples.labels": func(c *call) error {
		return gives(c, "labels", samples(c).Labels(int(c.integer("index"))), nil)
	},
	"samples.describe": textOf("samples", "json", (*gputide.Samples).Describe),
}

// givesSample gives the sample of a read, also of one that failed.
func givesSample(c *call, sample gputide.Sample, err error) error {
	var problem *gputide.Error
	if errors.As(err, &problem) && problem.Sample != nil {
		c.result["sample"] = sampleOut(*problem.Sample)
	}
	return gives(c, "sample", sampleOut(sample), err)
}
