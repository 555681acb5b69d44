package projection

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/openagent-ci/openagent/internal/runlog/event"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/schema"
)

// published returns what an internal payload becomes, whole; nil for a kind that is
// dropped. The payload is read as if it came from a saved log, so that a log becomes
// the stream that its run printed.
func published(payload event.Payload) any {
	typ := Type(payload.Kind())
	if typ == dropped {
		return nil
	}
	data := object{}
	if err := json.Unmarshal(encode(payload), &data); err != nil {
		panic(err) // a payload is an object
	}
	return saved(typ, data)
}

// internal returns what a published payload of a type came from, empty where it has
// null; nil for no payload. Members that both have under one name are of one type.
func internal(typ schema.Type, payload any) event.Payload {
	i := slices.IndexFunc(table, func(r row) bool { return r.typ == typ })
	if payload == nil || typ == dropped || i < 0 {
		return nil
	}
	d := reflect.New(reflect.TypeOf(table[i].kind))
	if err := json.Unmarshal(encode(payload), d.Interface()); err != nil {
		panic(err)
	}
	switch p := payload.(type) {
	case *schema.ToolExecFinished:
		d.Interface().(*event.ToolExecEnd).Content = event.Value(p.ContentPreview)
	case *schema.RunFinished:
		// A cost that is not known is null, which JSON takes for none at all.
		if u := d.Interface().(*event.RunEnd).Usage; u != nil && u.CostUSD == nil {
			if given, _ := p.Usage.Get(); !given.CostUSD.IsZero() {
				u.CostUSD = new((*float64)(nil))
			}
		}
	}
	return d.Elem().Interface().(event.Payload)
}

func encode(payload any) []byte {
	text, err := jsontext.Marshal(payload)
	if err != nil {
		panic(err) // texts and finite numbers always have a JSON
	}
	return text
}

// list returns what each item becomes; nil for nil, and when one of them becomes
// nothing.
func list[In, Out any](items []In, become func(In) *Out) []Out {
	if items == nil {
		return nil
	}
	out := make([]Out, len(items))
	for i, item := range items {
		v := become(item)
		if v == nil {
			return nil
		}
		out[i] = *v
	}
	return out
}
