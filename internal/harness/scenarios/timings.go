package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openagent-ci/openagent/internal/platform/file"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/schema"
)

// maxTimings bounds a file with timings, in bytes.
const maxTimings = 64 << 20

// ReadTimings reads the timings in a file. One that is not there has none, which
// found tells: a first run has nothing to go by.
func ReadTimings(target string) (times map[string]int64, found bool, err error) {
	text, err := process.Env{}.ReadUpTo(context.Background(), target, maxTimings)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read timings: %w", err)
	}
	t, err := schema.DecodeTimings(text)
	if err != nil {
		return nil, false, fmt.Errorf("%s holds no timings: %w", target, err)
	}
	return t.Scenarios, true, nil
}

// WriteTimings replaces the timings in a file, whole, and makes the folder that it
// lies in.
func WriteTimings(target string, times map[string]int64) error {
	text, err := schema.Timings{Scenarios: times}.Encode()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(target), 0o755)
	}
	if err == nil {
		err = file.WriteIn(filepath.Dir(target), filepath.Base(target), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write timings: %w", err)
	}
	return nil
}

// Measure returns the time of a scenario by its attempts: the median of those that
// passed, for one that fails may have stopped at once. Where none passed it is what
// was known before, else the median of all. ok reports whether there is any.
func Measure(attempts []schema.TestAttempt, before map[string]int64, id string) (ms int64, ok bool) {
	var passed, all []int64
	for _, a := range attempts {
		elapsed := min(a.MS, schema.MaxTiming)
		all = append(all, elapsed)
		if a.OK {
			passed = append(passed, elapsed)
		}
	}
	earlier, was := before[id]
	switch {
	case len(passed) > 0:
		return Median(passed), true
	case was:
		return earlier, true
	case len(all) > 0:
		return Median(all), true
	}
	return 0, false
}
