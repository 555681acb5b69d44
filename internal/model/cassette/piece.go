package cassette

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// piece is a part of an answer's body as a cassette holds it: an event with
// JSON data, a whole JSON body, or what is neither, line by line.
type piece struct {
	Event  string          `json:"event,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	JSON   json.RawMessage `json:"json,omitempty"`
	Text   string          `json:"text,omitempty"`
	Base64 []byte          `json:"base64,omitempty"`
}

// kinds counts what the piece claims to be.
func (p *piece) kinds() int {
	n := 0
	for _, set := range []bool{p.Data != nil, p.JSON != nil, p.Text != "", p.Base64 != nil} {
		if set {
			n++
		}
	}
	return n
}

// bytes returns the piece as it goes over the wire.
func (p *piece) bytes() []byte {
	switch {
	case p.Data != nil && p.Event != "":
		return slices.Concat([]byte("event: "+p.Event+"\ndata: "), p.Data, []byte("\n\n"))
	case p.Data != nil:
		return slices.Concat([]byte("data: "), p.Data, []byte("\n\n"))
	case p.JSON != nil:
		return p.JSON
	case p.Text != "":
		return []byte(p.Text)
	}
	return p.Base64
}

const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// mediaType returns what an answer says it is, without parameters.
func mediaType(h http.Header) string {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// split returns body in pieces that a client reads as it reads body. White
// space between JSON tokens, comments in an event stream and the spelling of
// line ends are lost.
func split(body []byte, media string) []piece {
	if media == mediaJSON && (isObject(body) || isJSON(body, "[")) { // some APIs stream a list where others send events
		return []piece{{JSON: compact(body)}}
	}
	var out []piece
	for len(body) > 0 {
		block, whole := firstBlock(body)
		body = body[len(block):]
		if whole && media == mediaEvents {
			if block = withoutComments(block); blank(block) {
				continue
			}
		}
		if event, ok := eventOf(block); ok && whole {
			if event.Event != "ping" { // another way to keep a connection alive
				out = append(out, event)
			}
			continue
		}
		out = append(out, verbatim(block)...)
	}
	return out
}

// firstBlock returns the lines up to and with the first blank one; whole tells
// that there was one.
func firstBlock(body []byte) (block []byte, whole bool) {
	end := 0
	for line := range bytes.Lines(body) {
		end += len(line)
		if blank(line) && bytes.HasSuffix(line, []byte("\n")) {
			return body[:end], true
		}
	}
	return body, false
}

func blank(b []byte) bool { return len(bytes.Trim(b, "\r\n")) == 0 }

// withoutComments leaves out what endpoints send to keep a connection alive:
// how often depends on the time that passes.
func withoutComments(block []byte) []byte {
	var lines []byte
	for line := range bytes.Lines(block) {
		if line[0] != ':' {
			lines = append(lines, line...)
		}
	}
	return lines
}

// eventOf returns an event that is one line of JSON, with or without a name.
func eventOf(block []byte) (p piece, ok bool) {
	for line := range bytes.Lines(block) {
		line = bytes.TrimRight(line, "\r\n")
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
		case string(field) == "event" && p.Event == "" && len(value) > 0 && utf8.Valid(value):
			p.Event = string(value)
		case string(field) == "data" && p.Data == nil && isObject(value):
			p.Data = compact(value)
		default:
			return piece{}, false
		}
	}
	return p, p.Data != nil
}

func isObject(b []byte) bool { return isJSON(b, "{") }

// isJSON reports whether b is a value that begins so.
func isJSON(b []byte, begin string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte(begin)) && fitsLine(b) && utf8.Valid(b)
}

// fitsLine reports whether b is JSON that is still JSON as a member of a line of the
// cassette, one level deeper.
func fitsLine(b []byte) bool {
	if bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) >= jsontext.MaxDepth {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	return json.Valid(b)
}

func compact(b []byte) []byte {
	var out bytes.Buffer
	_ = json.Compact(&out, b) // was found valid
	return out.Bytes()
}

// verbatim keeps bytes as they are, one piece for each line of text and the
// blank lines behind it.
func verbatim(block []byte) []piece {
	if !utf8.Valid(block) {
		return []piece{{Base64: block}}
	}
	var out []piece
	for line := range bytes.Lines(block) {
		if n := len(out); n > 0 && blank(line) {
			out[n-1].Text += string(line)
			continue
		}
		out = append(out, piece{Text: string(line)})
	}
	return out
}
