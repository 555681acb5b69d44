package sandboxexec

import (
	"regexp"
	"slices"

	"github.com/openagent-ci/openagent/internal/sandbox"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// limits are what programs say when they hit one, which the kernel tells nobody but
// them where there is no control group.
var limits = []struct {
	name, flag string
	asked      func(sandbox.Limits) uint64
	said       func() *regexp.Regexp
}{
	{"processes", "--limit processes", func(l sandbox.Limits) uint64 { return l.Processes },
		lazyregexp.New(`(?i)(cannot|can't|unable to|failed to) (fork|(start|create) (a )?new (os )?thread|create (native )?thread)|resource temporarily unavailable|\bEAGAIN\b|pthread_create|os error 11\b`)},
	{"open files", "--limit open-files", func(l sandbox.Limits) uint64 { return l.OpenFiles },
		lazyregexp.New(`(?i)too many open files|\bEMFILE\b|cannot open shared object file: error 24|os error 24\b`)},
	{"file size", "--limit file-size", func(l sandbox.Limits) uint64 { return l.FileSize },
		lazyregexp.New(`(?i)file size limit exceeded|file too large|\bEFBIG\b|os error 27\b`)},
	{"memory", "--limit memory", func(l sandbox.Limits) uint64 { return l.Memory },
		lazyregexp.New(`(?i)(cannot|can't) allocate|memory exhausted|out of memory|MemoryError|\bENOMEM\b|bad_alloc|os error 12\b`)},
}

// hit returns the notes of the limits that were hit: those that are known, and those
// that the command's own words tell of.
func (c *Commands) hit(names []string, printed []string) (notes []string) {
	for _, name := range names {
		notes = append(notes, "a limit was hit: "+name)
	}
	for _, l := range limits {
		said := func(text string) bool { return l.said().MatchString(text) }
		if l.asked(c.policy.Limits) > 0 && !slices.Contains(names, l.name) && slices.ContainsFunc(printed, said) {
			notes = append(notes, "a limit seems to have been hit: "+l.name+" ("+l.flag+")")
		}
	}
	return notes
}
