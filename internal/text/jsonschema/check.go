package jsonschema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// What checking one value may cost: a schema of some kilobytes can ask for more
// steps than there are atoms, and schemas come from strangers.
const (
	maxSteps  = 10_000_000
	faultCost = 20 // of a fault put in words
	maxNested = 20_000
)

// checking is the check of one value.
type checking struct {
	steps, depth int
	exhausted    bool
	track        bool
	scope        []*resource // that the value is checked by, the outermost first
}

// check returns why the schema does not accept v.
func (s *Schema) check(v *value) []Fault {
	j := &checking{track: s.track}
	faults, _ := j.check(s.root, v, nil)
	if j.exhausted {
		return []Fault{{Got: v.String(), Want: "a value that can be judged by this schema in reasonable time"}}
	}
	return faults
}

// step is a part on the way to a value.
type step struct {
	up   *step
	in   *value
	part int
}

// pointer returns the JSON pointer of a value.
func (s *step) pointer() string {
	if s == nil {
		return ""
	}
	if s.in.kind == object {
		return s.up.pointer() + "/" + jsontext.Pointer.Replace(s.in.names[s.part])
	}
	return s.up.pointer() + "/" + strconv.Itoa(s.part)
}

// frame is the check of one value by one schema.
type frame struct {
	j      *checking
	v      *value
	at     *step
	faults []Fault
	seen   []bool // the parts that were checked, as far as somebody asks
}

// check returns why n does not accept v, and which parts of v it checked.
func (j *checking) check(n *node, v *value, at *step) ([]Fault, []bool) {
	if !j.spend(1) {
		return nil, nil
	}
	f := &frame{j: j, v: v, at: at}
	if n.never {
		f.fault("nothing here")
		return f.faults, nil
	}
	if j.depth++; j.depth > maxNested {
		j.exhausted = true
	}
	enters := len(j.scope) == 0 || j.scope[len(j.scope)-1] != n.resource
	if enters {
		j.scope = append(j.scope, n.resource)
	}
	for _, checks := range [][]check{n.checks, n.last} {
		for _, ask := range checks {
			if !j.exhausted {
				ask(f)
			}
		}
	}
	if enters {
		j.scope = j.scope[:len(j.scope)-1]
	}
	j.depth--
	return f.faults, f.seen
}

// spend counts steps and reports whether any are left.
func (j *checking) spend(steps int) bool {
	j.steps += steps
	j.exhausted = j.exhausted || j.steps > maxSteps
	return !j.exhausted
}

// dynamic returns the outermost schema with that dynamic anchor among those being
// checked by, or static.
func (j *checking) dynamic(anchor string, static *node) *node {
	for _, r := range j.scope {
		if n := r.dynamic[anchor]; n != nil {
			return n
		}
	}
	return static
}

// fault notes that the value is not what is wanted.
func (f *frame) fault(want string) { f.faultOf(f.v.String(), want) }

// faultOf is fault with what was got in words.
func (f *frame) faultOf(got, want string) {
	path := f.at.pointer()
	f.j.spend(faultCost + len(path)/8)
	f.add([]Fault{{Path: path, Got: got, Want: want}})
}

// add notes faults that are not noted yet.
func (f *frame) add(faults []Fault) {
	for _, one := range faults {
		if len(f.faults) < maxFaults && !slices.Contains(f.faults, one) {
			f.faults = append(f.faults, one)
		}
	}
}

// inPlace checks the same value by n; the parts that n checked count as checked
// when it accepts the value.
func (f *frame) inPlace(n *node) []Fault {
	faults, seen := f.j.check(n, f.v, f.at)
	if len(faults) == 0 {
		for i, is := range seen {
			if is {
				f.mark(i)
			}
		}
	}
	return faults
}

// child checks a part of the value by n.
func (f *frame) child(n *node, part int) []Fault {
	faults, _ := f.j.check(n, &f.v.parts[part], &step{f.at, f.v, part})
	return faults
}

// mark notes that a part was checked.
func (f *frame) mark(part int) {
	if !f.j.track {
		return
	}
	if f.seen == nil {
		f.seen = make([]bool, len(f.v.parts))
		f.j.spend(len(f.seen) / 16)
	}
	f.seen[part] = true
}

func (f *frame) marked(part int) bool { return f.seen != nil && f.seen[part] }

// none notes why no alternative accepts the value: what all of them want when
// that is said in a word each, else what the closest one says.
func (f *frame) none(alternatives [][]Fault) {
	if f.j.exhausted {
		return
	}
	var wants []string
	here, got := f.at.pointer(), f.v.String()
	for _, faults := range alternatives {
		if len(faults) != 1 || faults[0].Path != here || faults[0].Got != got {
			f.closest(alternatives)
			return
		}
		if !slices.Contains(wants, faults[0].Want) {
			wants = append(wants, faults[0].Want)
		}
	}
	const shown = 6
	if len(wants) > shown {
		wants = append(wants[:shown], "...")
	}
	f.fault(strings.Join(wants, ", or "))
}

// closest notes what the alternative says that goes deepest into the value, of
// several the one with the fewest faults.
func (f *frame) closest(alternatives [][]Fault) {
	best, depth := 0, -1
	for i, faults := range alternatives {
		deepest := 0
		for _, one := range faults {
			deepest = max(deepest, strings.Count(one.Path, "/"))
		}
		if deepest > depth || deepest == depth && len(faults) < len(alternatives[best]) {
			best, depth = i, deepest
		}
	}
	for _, one := range alternatives[best] {
		if len(alternatives) > 1 {
			one.Want += fmt.Sprintf(" (by alternative %d of %d, the closest)", best+1, len(alternatives))
		}
		f.add([]Fault{one})
	}
}
