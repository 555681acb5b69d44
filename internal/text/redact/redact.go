// Package redact masks secrets in everything that is printed or saved: known values
// in all their common forms, and what looks like a secret.
package redact

import (
	"slices"
	"sort"
	"strings"
)

// Mask stands where a secret stood.
const Mask = "[redacted]"

// MinSecretBytes is the shortest value that is treated as a known secret:
// shorter ones would mask ordinary text.
const MinSecretBytes = 8

// Redactor replaces secrets in text. The zero value covers patterns only. It
// is safe for concurrent use.
type Redactor struct {
	forms    []string // longest first
	folded   []string // the forms as squeeze leaves them
	given    []string // to New
	secrets  []string // as they are
	replacer *strings.Replacer
	longest  int
}

// New returns a Redactor for the known secrets, in all their forms, and for
// the built-in patterns. Values under MinSecretBytes are left out.
func New(secrets []string) *Redactor {
	seen := map[string]bool{}
	r := &Redactor{given: secrets}
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
	r.folded = folded(r.forms)
	pairs := make([]string, 0, 2*len(r.forms))
	for _, f := range r.forms {
		pairs = append(pairs, f, Mask)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// With returns a Redactor for more secrets besides those of r, which may be nil.
func (r *Redactor) With(secrets []string) *Redactor {
	if r == nil {
		return New(slices.Clone(secrets))
	}
	return New(slices.Concat(r.given, secrets))
}

// String returns s with known secrets and whatever matches a built-in pattern
// replaced by Mask, also what is left of a known secret where s was cut.
func (r *Redactor) String(s string) string {
	s, _ = r.Known(s)
	return maskPatterns(r.torn(s))
}

// torn masks the first part of a secret, of MinSecretBytes at least, that ends
// with s or before an ellipsis: there a text may have been cut before it came
// here.
func (r *Redactor) torn(s string) string {
	if r == nil {
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

// Known returns s with the known secrets replaced, and how many were: also those
// whose letters are escaped, or parted by ends of lines, tabs or what a terminal
// does not show.
func (r *Redactor) Known(s string) (out string, replaced int) {
	if r == nil || len(r.forms) == 0 || len(s) < MinSecretBytes {
		return s, 0
	}
	out = r.replacer.Replace(s)
	replaced = strings.Count(out, Mask) - strings.Count(s, Mask)
	for _, bytewise := range []bool{false, true} {
		more := 0
		out, more = r.parted(out, bytewise)
		replaced += more
	}
	return out, replaced
}
