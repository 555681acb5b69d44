package cassette

import (
	"regexp"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

// scrubber takes out of requests what is another value in each run of the same
// program: times, ids, temporary folders, ports, and where it worked.
type scrubber struct{ folder *strings.Replacer }

// newScrubber returns one for requests of a program that worked in these folders, which
// may be empty.
func newScrubber(folders ...string) *scrubber {
	var pairs []string
	for _, folder := range folders {
		if len(folder) < 2 {
			continue
		}
		spelt := string(jsontext.MustMarshal(folder))
		spelt = spelt[1 : len(spelt)-1]
		// Some name folders of their own after it.
		pairs = append(pairs, spelt, "<folder>", strings.ReplaceAll(spelt, "/", "-"), "<folder>")
	}
	return &scrubber{strings.NewReplacer(pairs...)}
}

// varying is what differs, in the order in which it is looked for.
var varying = []struct {
	pattern func() *regexp.Regexp
	stands  string
}{
	{lazyregexp.New(`(?:/[^/\s"'\\,;:)<>&]+)*/openagent-(?:ci|model)-\d+|\bopenagent-(?:ci|model)-\d+`), "<temp>"},
	{lazyregexp.New(`(?:/private)?(?:/tmp|/var/tmp|/var/folders/[^/\s"\\]+/[^/\s"\\]+/T|/_temp)/[^/\s"'\\,;:)<>&]+`), "<temp>"},
	{lazyregexp.New(`(127\.0\.0\.1|localhost):\d+`), "$1:<port>"},
	{lazyregexp.New(`(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},
	{lazyregexp.New(`\b(call|toolu|[a-z_]{2,40}_)[-_]?[0-9]{10,}(_[0-9]+)?\b`), "$1<id>"},
	{lazyregexp.New(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?`), "<time>"},
	{lazyregexp.New(`\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thur?s?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? (?:\d\d:\d\d:\d\d [A-Z]{3,4} )?\d{4}\b`), "<time>"},
	{lazyregexp.New(`\b\d{1,2}/\d{1,2}/\d{4}\b`), "<time>"},
	{lazyregexp.New(`\b\d{1,2}:\d\d:\d\d(?: ?[AP]M)?\b`), "<time>"},
	{lazyregexp.New(`\b1[5-9]\d{8}(?:\d{3})?\b`), "0"}, // also where it stands for itself
	{lazyregexp.New(`\b\d+(?:\.\d+)? ?(ms|seconds?|secs?)\b`), "<n> $1"},
	{lazyregexp.New(`(?i)\b(pids?|process(?: group)?(?: id)?|pgid|chunk id|session id)(: ?|=| )[0-9a-f]+\b`), "$1$2<id>"},
	// Ids that start with what they are ids of, but not names like run_shell_command.
	{lazyregexp.New(`\b(?:msg|resp|fc|rs|gen|chatcmpl|ses|prt|run|req)[-_](?:[a-z][a-z_-]*)?[0-9A-Z][0-9A-Za-z_-]*`), "<id>"},
}

// longHex matches digests and the like, and long numbers, which stay: they may stand
// for themselves.
var longHex = lazyregexp.New(`\b[0-9a-f]{12,}\b`)

// parts returns a request's parts without what differs.
func (s *scrubber) parts(list []part) []part {
	out := make([]part, len(list))
	for i, p := range list {
		out[i] = part{p.key, s.text(p.value)}
	}
	return out
}

func (s *scrubber) text(value string) string {
	value = s.folder.Replace(value)
	for _, v := range varying {
		value = v.pattern().ReplaceAllString(value, v.stands)
	}
	return longHex().ReplaceAllStringFunc(value, func(digits string) string {
		if strings.Trim(digits, "0123456789") == "" {
			return digits
		}
		return "<id>"
	})
}
