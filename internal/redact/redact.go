// Package redact keeps secrets out of everything that is printed or saved: it
// replaces known values in all forms they commonly take, covers what looks
// like a secret, and takes the provider's key out of the environment. It is a
// net; the wall is that commands never see a secret in the first place.
package redact

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openagent-ci/openagent/internal/control"
)

// Mask stands where a secret stood.
const Mask = "[redacted]"

// MinSecretBytes is the shortest value that is treated as a known secret:
// shorter ones would mask ordinary text.
const MinSecretBytes = 8

// Redactor replaces secrets in text. The zero value covers patterns only. It
// is safe for concurrent use.
type Redactor struct {
	forms    []string
	secrets  []string // as they are
	replacer *strings.Replacer
	longest  int
	finder   *finder // of the forms, and of what torn secrets begin with
}

// New returns a Redactor for the known secrets, in all their forms, and for
// the built-in patterns. Values under MinSecretBytes are left out.
func New(secrets []string) *Redactor {
	seen := map[string]bool{}
	r := &Redactor{}
	for _, s := range secrets {
		if s = strings.TrimRight(s, "\r\n"); len(s) > MinSecretBytes {
			r.secrets = append(r.secrets, s)
		}
		for _, f := range forms(s) {
			if !seen[f] {
				seen[f] = true
				r.forms = append(r.forms, f)
			}
		}
	}
	if len(r.forms) == 0 {
		return r
	}
	// Longest first: a form that holds another one is replaced whole.
	sort.Slice(r.forms, func(i, j int) bool {
		a, b := r.forms[i], r.forms[j]
		return len(a) > len(b) || len(a) == len(b) && a < b
	})
	r.longest = len(r.forms[0])
	words := slices.Clone(r.forms)
	for _, s := range r.secrets {
		words = append(words, s[:MinSecretBytes])
	}
	r.finder = newFinder(words)
	pairs := make([]string, 0, 2*len(r.forms))
	for _, f := range r.forms {
		pairs = append(pairs, f, Mask)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// String returns s with known secrets and whatever matches a built-in pattern
// replaced by Mask, also what is left of a known secret where s was cut.
func (r *Redactor) String(s string) string {
	s, _ = r.Known(s)
	return patterns(r.torn(s))
}

// torn masks the first part of a secret, of MinSecretBytes at least, that ends
// with s or before an ellipsis: there a text may have been cut before it came
// here.
func (r *Redactor) torn(s string) string {
	if r == nil || !r.finder.in(s) {
		return s
	}
	for _, secret := range r.secrets {
		head := secret[:MinSecretBytes]
		for from := 0; ; {
			i := strings.Index(s[from:], head)
			if i < 0 {
				break
			}
			i += from
			from = i + len(head)
			end := from
			for end < len(s) && end-i < len(secret) && s[end] == secret[end-i] {
				end++
			}
			if end == len(s) || strings.HasPrefix(s[end:], "...") {
				s = s[:i] + Mask + s[end:]
				from = i + len(Mask)
			}
		}
	}
	return s
}

// Known returns s with the known secrets replaced, and how many were. What a
// terminal does not show cannot hide one: s loses all of that then.
func (r *Redactor) Known(s string) (out string, replaced int) {
	if r == nil || len(r.forms) == 0 {
		return s, 0
	}
	out, replaced = r.replace(s)
	if seen := visible(out); len(seen) < len(out) && r.finder.in(seen) {
		more := 0
		out, more = r.replace(seen)
		replaced += more
	}
	return out, replaced
}

func (r *Redactor) replace(s string) (string, int) {
	if !r.finder.in(s) {
		return s, 0
	}
	before := strings.Count(s, Mask)
	out := r.replacer.Replace(s)
	return out, strings.Count(out, Mask) - before
}

// suspect reports whether anything in s might have to be replaced.
func (r *Redactor) suspect(s string) bool {
	if r != nil && len(r.forms) > 0 {
		if seen := visible(s); r.finder.in(s) || len(seen) < len(s) && r.finder.in(seen) {
			return true
		}
	}
	return slices.ContainsFunc(known, func(p pattern) bool { return p.triggered(s) })
}

// plain are the bytes that a terminal shows by themselves, or acts upon as the
// end of a line or a tab.
var plain = func() (table [256]bool) {
	for c := ' '; c <= '~'; c++ {
		table[c] = true
	}
	table['\n'], table['\t'], table['\r'] = true, true, true
	return table
}()

// visible returns what a terminal shows of s, line ends and tabs included. Of
// most texts that is all, and nothing is copied.
func visible(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		if plain[s[i]] {
			i++
			continue
		}
		n := hidden(s[i:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		b.WriteString(s[from:i])
		i += n
		from = i
	}
	if from == 0 {
		return s
	}
	return b.String() + s[from:]
}

// hidden returns how much of the begin of s a terminal does not show. Of zeros,
// which come in large numbers, it takes all at once.
func hidden(s string) int {
	n := 0
	for n < len(s) && s[n] == 0 {
		n++
	}
	if n > 0 {
		return n
	}
	if r, size := utf8.DecodeRuneInString(s); unicode.Is(unicode.Cf, r) { // such as a joiner without width
		return size
	}
	return control.Prefix(s)
}
