package tool

import "sort"

// Registry finds tools by name.
type Registry struct {
	byName map[string]Tool
	names  []string
}

// NewRegistry returns a registry of tools; a later tool replaces an earlier
// one of the same name.
func NewRegistry(tools ...Tool) *Registry {
	r := &Registry{byName: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		if _, ok := r.byName[t.Spec.Name]; !ok {
			r.names = append(r.names, t.Spec.Name)
		}
		r.byName[t.Spec.Name] = t
	}
	sort.Strings(r.names)
	return r
}

// Lookup returns the tool of that name.
func (r *Registry) Lookup(name string) (Tool, bool) {
	t, ok := r.byName[name]
	return t, ok
}

// Specs returns the specs of all tools, sorted by name.
func (r *Registry) Specs() []Spec {
	specs := make([]Spec, len(r.names))
	for i, n := range r.names {
		specs[i] = r.byName[n].Spec
	}
	return specs
}
