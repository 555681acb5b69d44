package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/transport"
	"github.com/openagent-ci/openagent/internal/view"
)

// What --cassette-mode says.
const (
	cassetteReplay = "replay"
	cassetteRecord = "record"
	cassetteAuto   = "auto"
)

// maxCassette bounds a cassette, which can hold several answers of the largest
// size that is read.
const maxCassette = 256 << 20

// checkCassette finds flags that contradict a cassette. Which of them was given
// by flag and which by variable makes no difference: neither may be ignored.
func (f *runFlags) checkCassette() error {
	switch {
	case f.modeGiven && f.cassette == "":
		return usage("--cassette-mode is %q without a cassette: name one by --cassette FILE", f.cassetteMode.value)
	case f.cassette != "" && f.script != "":
		return usage("--cassette and --script both stand in for an endpoint: give one of them")
	}
	return nil
}

// replays reports whether the cassette answers by itself, so that a model need
// not be named.
func (f *runFlags) replays() bool { return f.cassette != "" && f.cassetteMode.value == cassetteReplay }

// cassetteModel answers from the cassette, or asks the endpoint and records it.
func (r *agentRun) cassetteModel(ctx context.Context) error {
	recording, err := records(r.program.Place, r.flags.cassetteMode.value, r.flags.cassette)
	if err != nil {
		return before(codeCassette, fmt.Errorf("find cassette: %w", err))
	}
	if !recording {
		return r.replayedModel(ctx)
	}
	tape, err := transport.NewRecorder(r.span, r.program.Path(r.flags.cassette), r.redactor)
	if err != nil {
		return before(codeCassette, err)
	}
	r.tape = tape
	return r.networkModel()
}

// records reports whether the mode means to record. Auto does so where there is
// no cassette yet, but not in CI: there a missing one is a mistake.
func records(p process.Place, mode, path string) (bool, error) {
	if mode != cassetteAuto {
		return mode == cassetteRecord, nil
	}
	if ci := strings.ToLower(p.Getenv("CI")); ci != "" && ci != "false" && ci != "0" {
		return false, nil
	}
	_, err := p.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// replayedModel answers from the cassette, through the same client that asks a
// real endpoint.
func (r *agentRun) replayedModel(ctx context.Context) error {
	path := r.flags.cassette
	text, err := r.program.ReadUpTo(ctx, path, maxCassette)
	if errors.Is(err, fs.ErrNotExist) {
		return before(codeCassette, fmt.Errorf("read cassette: %w", err)).
			or("record it by --cassette-mode record; auto does so as well, but not where CI is set")
	}
	if err != nil {
		return before(codeCassette, fmt.Errorf("read cassette: %w", err))
	}
	cassette, err := transport.LoadCassette(path, text, r.redactor)
	if err != nil {
		return before(codeCassette, err)
	}
	name := r.flags.model
	if name == "" {
		name = cassette.Model()
	}
	base, last := cassette.Path()
	api := provider.API(r.flags.api.value)
	if !r.flags.apiGiven {
		api = apiAt(last)
	}
	r.cassette = cassette
	r.model = chosenModel{provider: "cassette", name: name, digest: record.Digest(text), Model: r.client(provider.Config{
		API: api, BaseURL: "http://cassette.invalid" + base, Model: name,
		HTTP: transport.Client(cassette, transport.Options{Timeout: r.flags.providerTimeout.duration()}),
	})}
	return nil
}

// apiAt returns the API that is asked at a path.
func apiAt(last string) provider.API {
	if last == "/responses" {
		return provider.APIResponses
	}
	return provider.APIChat
}

// saved tells why something that belongs to the run is not on the disk.
func (r *agentRun) saved() error {
	if err := r.log.failure(); err != nil || r.tape == nil {
		return err
	}
	return r.tape.Err()
}

// endCassette ends a recording, and tells what people should know of the
// cassette of a run that is over. Its error is that of a recording that could
// not take its place.
func (r *agentRun) endCassette(ok bool) error {
	if r.cassette != nil {
		r.tellOfReplay()
	}
	if r.tape == nil {
		return nil
	}
	partial, err := r.tape.Close(ok)
	if err != nil && ok {
		return err
	}
	if partial != "" {
		r.program.Logger().Warn("the run did not end well, so the cassette is not replaced; rename its recording to replay it",
			"cassette", r.flags.cassette, "recording", partial)
	}
	return nil
}

// tellOfReplay shows why a request was not in the cassette, or what of the
// cassette was not asked for.
func (r *agentRun) tellOfReplay() {
	if text := r.cassette.Difference(); text != "" {
		var b strings.Builder
		for _, line := range view.Clean(r.redactor.String(text)) {
			b.WriteString(line + "\n")
		}
		b.WriteString("openagent: hint: record it anew by --cassette-mode record\n")
		_, _ = io.WriteString(r.program.Err, b.String())
		return
	}
	if unused, all := r.cassette.Unused(); unused > 0 {
		r.program.Logger().Warn("exchanges of the cassette were not asked for",
			"cassette", r.flags.cassette, "unused", unused, "recorded", all)
	}
}
