package redact

import (
	"bytes"
	"io"
	"strings"
)

// maxHeld bounds how much of an unfinished line a Writer holds back.
const maxHeld = 64 << 10

// Writer redacts what passes through it. It works line by line, so a secret
// that arrives in pieces is still found; a line whose end may begin a secret
// that goes on in the next one waits for it. Of a line longer than 64 KiB it holds
// back as much as the longest secret needs. Close writes what is held.
type Writer struct {
	w    io.Writer
	r    *Redactor
	held []byte
	pem  bool
}

// NewWriter returns a Writer that redacts with r into w.
func NewWriter(w io.Writer, r *Redactor) *Writer { return &Writer{w: w, r: r} }

// Write takes p whole; it returns the error of the writer below.
func (w *Writer) Write(p []byte) (int, error) {
	cut := 0
	if i := bytes.LastIndexByte(p, '\n'); i >= 0 {
		cut = len(w.held) + i + 1
	}
	w.held = append(w.held, p...)
	if cut > 0 {
		cut = w.r.wholeLines(w.held[:cut])
	}
	if cut == 0 && len(w.held) > maxHeld {
		cut = w.r.SafeCut(w.held)
	}
	if cut == 0 {
		return len(p), nil
	}
	err := w.put(w.held[:cut])
	w.held = append(w.held[:0], w.held[cut:]...)
	return len(p), err
}

// reach is how far a secret whose letters are parted or escaped is looked for:
// each letter may take a few signs.
func (r *Redactor) reach() int { return max(8*r.longest, 256) }

// SafeCut returns how much of text, the beginning of a longer one, can be
// redacted and written by itself: all but a tail that may hold the beginning of
// a secret, moved so that none is split.
func (r *Redactor) SafeCut(text []byte) int {
	cut := max(len(text)-r.reach(), 0)
	if cut == 0 || len(r.forms) == 0 {
		return cut
	}
	from := max(cut-r.reach(), 0)
	window := string(text[from:min(cut+r.reach(), len(text))])
	for _, bytewise := range []bool{false, true} {
		for _, p := range r.spans(window, bytewise) {
			if from+p.from < cut && cut < from+p.to {
				cut = from + p.from
			}
		}
	}
	return cut
}

// wholeLines returns how many of the lines of text can be redacted and written
// by themselves: all but those at the end that may hold the start of a secret.
func (r *Redactor) wholeLines(text []byte) int {
	if len(r.forms) == 0 {
		return len(text)
	}
	from := max(len(text)-r.reach(), 0)
	window := string(text[from:])
	tail, _ := squeeze(window, false, false)
	for _, f := range r.folded {
		for i := max(len(tail)-len(f)+1, 0); ; i++ {
			n := strings.Index(tail[i:], f[:MinSecretBytes])
			if n < 0 {
				break
			}
			if i += n; strings.HasPrefix(f, tail[i:]) {
				_, at := squeeze(window, false, true)
				return bytes.LastIndexByte(text[:from+at[i].from], '\n') + 1
			}
		}
	}
	return len(text)
}

// Drawn returns what a terminal shows of the line that has no end yet: the last part of
// it that a CR has ended, redacted. It is empty where a secret may begin there, or a
// private key.
func (w *Writer) Drawn() string {
	end := bytes.LastIndexByte(w.held, '\r')
	if w.pem || end <= bytes.LastIndexByte(w.held, '\n') || HoldsPrivateKey(w.held) {
		return ""
	}
	if w.r.wholeLines(w.held[:end+1]) <= end {
		return ""
	}
	text := strings.TrimRight(w.r.String(string(w.held[:end])), "\r")
	return text[strings.LastIndexAny(text, "\r\n")+1:]
}

// Close writes what is held. It does not close the writer below.
func (w *Writer) Close() error {
	if len(w.held) == 0 {
		return nil
	}
	err := w.put(w.held)
	w.held = nil
	return err
}

// put redacts and writes.
func (w *Writer) put(ready []byte) error {
	_, err := io.WriteString(w.w, w.lines(string(ready)))
	return err
}

// lines redacts whole lines and leaves private keys out that span several.
func (w *Writer) lines(s string) string {
	const begin, end = "-----BEGIN ", "-----END "
	if !w.pem && !strings.Contains(s, begin) {
		return w.r.String(s)
	}
	var out bytes.Buffer
	for line := range bytes.Lines([]byte(s)) {
		isKey := HoldsPrivateKey(line)
		switch {
		case isKey && bytes.Contains(line, []byte(end)):
			w.pem = false
		case isKey && bytes.Contains(line, []byte(begin)):
			w.pem = true
			out.WriteString(Mask + "\n")
		case !w.pem:
			out.Write(line)
		}
	}
	return w.r.String(out.String())
}
