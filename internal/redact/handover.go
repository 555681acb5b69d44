package redact

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// handoverMark is the first line of a Handover; no key has two lines.
const handoverMark = "openagent secrets 1\n"

// maxHandover bounds a Handover: more than an environment can hold.
const maxHandover = 16 << 20

// Handover is what a harness gives its agent by an inherited pipe, in place of
// a key alone: no variable and no argument holds it.
type Handover struct {
	// Key is the provider's, empty for none.
	Key string
	// Secrets are the values that the agent is to mask, beside the key.
	Secrets []string
}

// Encode returns h as ReadKeyFile reads it: the mark, then the key and each
// secret quoted on a line of its own.
func (h Handover) Encode() []byte {
	b := strconv.AppendQuote([]byte(handoverMark), h.Key)
	for _, s := range h.Secrets {
		b = strconv.AppendQuote(append(b, '\n'), s)
	}
	return append(b, '\n')
}

// decodeHandover reads what Encode has written behind its mark.
func decodeHandover(text string) (h Handover, err error) {
	if !strings.HasSuffix(text, "\n") {
		return h, errors.New("secrets were handed over in part")
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		value, err := strconv.Unquote(line)
		if err != nil {
			return Handover{}, fmt.Errorf("line %d of the secrets handed over is not quoted", i+2)
		}
		if i == 0 {
			h.Key = value
		} else {
			h.Secrets = append(h.Secrets, value)
		}
	}
	return h, nil
}
