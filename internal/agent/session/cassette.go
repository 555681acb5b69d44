package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/platform/process"
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
	tape, err := endpoint.Recorder(s.span, s.Process, s.Cassette, nil, s.masks)
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
	if process.IsCI(p.Getenv("CI")) {
		return false, nil
	}
	_, err := p.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// replayedModel answers from the cassette.
func (s *setup) replayedModel(ctx context.Context) (model, error) {
	recorded, err := endpoint.Cassette(ctx, s.Process, s.Cassette, "--cassette-mode record", s.masks)
	if err != nil {
		return model{}, before(codeCassette, err)
	}
	base, last := recorded.Path()
	api := s.Endpoint.API
	switch {
	case s.APIGiven:
	case last == "/responses":
		api = provider.APIResponses
	default:
		api = provider.APIChat
	}
	return s.answeredBy(recorded, "cassette", cmp.Or(s.Model, recorded.Model), api, base), nil
}
