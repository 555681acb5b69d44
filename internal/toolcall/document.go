package toolcall

import "encoding/json"

// Document is a Result as programs read it. Calls that were cut are not in it.
type Document struct {
	Calls      []DocumentCall    `json:"calls"`
	Leftover   string            `json:"leftover_text"`
	Incomplete bool              `json:"incomplete"`
	Malformed  []DocumentRefusal `json:"malformed"`
}

// DocumentCall is a call of a Document.
type DocumentCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Source    string          `json:"source"`
	Repaired  bool            `json:"repaired"`
	Repairs   []string        `json:"repairs"`
	Status    Status          `json:"status"`
	Offset    int             `json:"offset"`
}

// DocumentRefusal is a malformed call of a Document.
type DocumentRefusal struct {
	Offset int    `json:"offset"`
	Reason string `json:"reason"`
}

// Document returns the result as a document, whose lists are never null.
func (r Result) Document() Document {
	d := Document{Calls: []DocumentCall{}, Leftover: r.Leftover, Incomplete: r.Incomplete, Malformed: []DocumentRefusal{}}
	for _, c := range r.Calls {
		d.Calls = append(d.Calls, DocumentCall{c.Tool, c.Arguments, c.Source, c.Repaired, c.Repairs, Complete, c.Offset})
	}
	for _, f := range r.Refused {
		if f.Status == Malformed {
			d.Malformed = append(d.Malformed, DocumentRefusal{f.Offset, f.Reason})
		}
	}
	return d
}
