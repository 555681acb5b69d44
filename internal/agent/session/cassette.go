package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/model/transport"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/term"
)

// What Options.CassetteMode says.
const (
	CassetteReplay = "replay"
	CassetteRecord = "record"
	CassetteAuto   = "auto"
)

// cassetteModel answers from the cassette, or asks the endpoint and records it.
func (s *setup) cassetteModel(ctx context.Context) (model, error) {
	recording, err := Records(s.Env, s.CassetteMode, s.Cassette)
	if err != nil {
		return model{}, before(codeCassette, fmt.Errorf("find cassette: %w", err))
	}
	if !recording {
		return s.replayedModel(ctx)
	}
	tape, err := cassette.NewRecorder(s.span, s.Path(s.Cassette), s.masks)
	if err != nil {
		return model{}, before(codeCassette, err)
	}
	return s.networkModel(tape)
}

// Records reports whether the mode means to record. Auto does so where there is
// no cassette yet, but not in CI: there a missing one is a mistake.
func Records(p process.Env, mode, path string) (bool, error) {
	if mode != CassetteAuto {
		return mode == CassetteRecord, nil
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
func (s *setup) replayedModel(ctx context.Context) (model, error) {
	path := s.Cassette
	text, err := s.ReadUpTo(ctx, path, cassette.MaxFile)
	if err != nil {
		failed := before(codeCassette, fmt.Errorf("read cassette: %w", err))
		if errors.Is(err, fs.ErrNotExist) {
			failed.hint = "record it by --cassette-mode record; auto does so as well, but not where CI is set"
		}
		return model{}, failed
	}
	recorded, err := cassette.Load(path, text, s.masks)
	if err != nil {
		return model{}, before(codeCassette, err)
	}
	name := cmp.Or(s.Model, recorded.Model())
	base, last := recorded.Path()
	api := s.Endpoint.API
	switch {
	case s.APIGiven:
	case last == "/responses":
		api = provider.APIResponses
	default:
		api = provider.APIChat
	}
	return model{cassette: recorded, provider: "cassette", name: name, digest: record.Digest(text), Model: s.client(provider.Config{
		API: api, BaseURL: "http://cassette.invalid" + base, Model: name,
		HTTP: transport.Client(recorded, transport.Options{Timeout: s.Endpoint.Timeout}),
	})}, nil
}

// endCassette ends a recording, and reports what people should know of the
// cassette of a run that is over. Its error is that of a recording that could
// not replace the cassette.
func (s *setup) endCassette(m model, ok bool) error {
	if m.cassette != nil {
		s.reportReplay(m.cassette)
	}
	if m.tape == nil {
		return nil
	}
	partial, err := m.tape.Close(ok)
	switch {
	case err != nil && ok:
		return err
	case err != nil:
		s.Logger().Warn("the cassette is not replaced", "error", err)
	case partial != "":
		s.Logger().Warn("the run did not end well, so the cassette is not replaced; rename its recording to replay it",
			"cassette", s.Cassette, "recording", partial)
	}
	return nil
}

// reportReplay shows why a request was not in the cassette, or what of the
// cassette was not asked for.
func (s *setup) reportReplay(c *cassette.Cassette) {
	if text := c.Difference(); text != "" {
		var b strings.Builder
		for _, line := range term.Clean(s.masks.String(text)) {
			b.WriteString(line + "\n")
		}
		b.WriteString("openagent: hint: record it anew by --cassette-mode record\n")
		_, _ = io.WriteString(s.Err, b.String())
		return
	}
	if unused, all := c.Unused(); unused > 0 {
		s.Logger().Warn("exchanges of the cassette were not asked for",
			"cassette", s.Cassette, "unused", unused, "recorded", all)
	}
}
