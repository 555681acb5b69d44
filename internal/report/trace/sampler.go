package trace

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// sampler says which traces are exported.
type sampler struct {
	parented bool    // one that another process began is as that one decided
	ratio    float64 // of the others
}

// samplers are those that every program accepts in OTEL_TRACES_SAMPLER; a ratio below 0 is that of OTEL_TRACES_SAMPLER_ARG.
var samplers = map[string]sampler{
	"":                         {true, 1},
	"always_on":                {false, 1},
	"always_off":               {false, 0},
	"traceidratio":             {false, -1},
	"parentbased_always_on":    {true, 1},
	"parentbased_always_off":   {true, 0},
	"parentbased_traceidratio": {true, -1},
}

func (v *environment) sampler() sampler {
	name := strings.TrimSpace(v.Getenv("OTEL_TRACES_SAMPLER"))
	s, ok := samplers[name]
	if !ok {
		v.warn("OTEL_TRACES_SAMPLER is %q, which is not known; every trace is exported", name)
		return samplers[""]
	}
	if s.ratio < 0 {
		s.ratio = 1
		if arg := strings.TrimSpace(v.Getenv("OTEL_TRACES_SAMPLER_ARG")); arg != "" {
			ratio, err := strconv.ParseFloat(arg, 64)
			if err == nil && ratio >= 0 && ratio <= 1 {
				s.ratio = ratio
			} else {
				v.warn("OTEL_TRACES_SAMPLER_ARG is %q, want a number from 0 to 1; every trace is exported", arg)
			}
		}
	}
	return s
}

// samples reports whether the trace is exported. Of the same trace every program
// decides the same.
func (s sampler) samples(t *Trace) bool {
	if s.parented && t.parent != (spanID{}) {
		return t.flags&sampled != 0
	}
	const all = 1 << 63
	return s.ratio >= 1 || binary.BigEndian.Uint64(t.id[8:])>>1 < uint64(s.ratio*all)
}
