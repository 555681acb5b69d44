package tool

import (
	"maps"
	"slices"
)

// Registry finds tools by name.
type Registry struct{ byName map[string]Tool }

// NewRegistry returns a registry of tools; a later tool replaces an earlier
// one of the same name. A tool without a text for the model, which Define does
// not make, is a programmer's error and panics.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		if t.Payload == nil {
			panic("tool: " + t.Spec.Name + " has no text")
		}
		r.byName[t.Spec.Name] = t
	}
	return r
}

// Lookup returns the tool of that name. For a name that no tool has it is one
// that has the name alone: enough for the result of a refused call.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.byName[name]
	if !ok {
		t.Spec.Name = name
	}
	return t, ok
}

// Specs returns the specs of all tools, sorted by name.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, 0, len(r.byName))
	for _, name := range slices.Sorted(maps.Keys(r.byName)) {
		specs = append(specs, r.byName[name].Spec)
	}
	return specs
}
