package key

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// handoverMark is the first line of a Handover; no key has two lines.
const handoverMark = "openagent secrets 1\n"

// What stands before lines that are no secrets to be masked.
const (
	source  = '@'
	further = '+'
	hidden  = '/'
)

// maxHandover bounds a Handover: more than an environment can hold.
const maxHandover = 16 << 20

// Handover is what a harness gives its agent by an inherited pipe, in place of
// a key alone: no variable and no argument holds it.
type Handover struct {
	// Key is the provider's, empty for none.
	Key string
	// Source says where the key came from, for people.
	Source string
	// Secrets are the values that the agent is to mask, beside the key.
	Secrets []string
	// Further is what else only the agent is to know, one line each, in a form
	// of the caller's.
	Further []string
	// Hidden are folders that the agent's commands must not reach.
	Hidden []string
}

// Encode returns h as ReadFile reads it: the mark, then the key, each secret, the
// source, each further line and each hidden folder, quoted.
func (h Handover) Encode() []byte {
	b := strconv.AppendQuote([]byte(handoverMark), h.Key)
	for _, s := range h.Secrets {
		b = strconv.AppendQuote(append(b, '\n'), s)
	}
	if h.Source != "" {
		b = strconv.AppendQuote(append(b, '\n', source), h.Source)
	}
	for _, list := range []struct {
		mark  byte
		lines []string
	}{{further, h.Further}, {hidden, h.Hidden}} {
		for _, s := range list.lines {
			b = strconv.AppendQuote(append(b, '\n', list.mark), s)
		}
	}
	return append(b, '\n')
}

// decodeHandover reads what Encode has written behind its mark.
func decodeHandover(text string) (h Handover, err error) {
	if !strings.HasSuffix(text, "\n") {
		return h, errors.New("secrets were handed over in part")
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		value, err := strconv.Unquote(strings.TrimLeft(line, string([]rune{source, further, hidden})))
		if err != nil {
			return Handover{}, fmt.Errorf("line %d of the secrets handed over is not quoted", i+2)
		}
		switch {
		case i == 0:
			h.Key = value
		case line[0] == source:
			h.Source = value
		case line[0] == further:
			h.Further = append(h.Further, value)
		case line[0] == hidden:
			h.Hidden = append(h.Hidden, value)
		default:
			h.Secrets = append(h.Secrets, value)
		}
	}
	return h, nil
}
