package sandbox

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
)

var (
	// refusal matches what programs say of a file that they may not have.
	refusal = lazyregexp.New(`(?i)permission ?denied|permissionerror|eacces|os error 13|read-only file system|erofs|os error 30`)
	// changing matches what they say when they wanted to change it.
	changing = lazyregexp.New(`(?i)creat|writ|mkdir|mk[sd]temp|remov|delet|unlink|renam|touch|read-only|lock|cannot move`)
	// unreachable matches what they say without a network.
	unreachable = lazyregexp.New(`(?i)could not resolve|name resolution|name or service not known|getaddrinfo|network is unreachable|enetunreach|(socket|connect|dial).*(not permitted|eperm)`)
	// named matches absolute paths in a message.
	named = lazyregexp.New(`(?:^|[\s'"\x60‘(:=\[])(/[^\s'"\x60’;,)\]]+)`)
)

// Hint returns what would open what a command was refused, told by what it printed:
// the path and the flag. It is "" when that cannot be told, as when the user may not
// have the file anyway.
func (w *Wall) Hint(printed string) string {
	if !w.stands() {
		return ""
	}
	status := w.Status()
	for line := range strings.Lines(printed) {
		if network := status.Network; network != NetworkOn && unreachable().MatchString(line) {
			return "commands have no network (" + string(network) + "); --network on gives them all of it"
		}
		if status.LandlockABI > 0 && refusal().MatchString(line) {
			for _, m := range named().FindAllStringSubmatch(line, -1) {
				if w.hides(m[1]) {
					return "commands must not reach " + strings.TrimRight(m[1], ":.") + ", which belongs to the run or to the job; no flag opens it"
				}
				if hint := w.plan.hint(strings.TrimRight(m[1], ":."), changing().MatchString(line)); hint != "" {
					return hint
				}
			}
		}
	}
	return ""
}

// hides reports whether a path is among what must stay hidden.
func (w *Wall) hides(path string) bool {
	at := existing(strings.TrimRight(path, ":."))
	return slices.ContainsFunc(w.policy.Hidden, func(dir string) bool { return within(at, existing(dir)) }) && !w.plan.Reads(at)
}

// hint returns what would open the path, "" if nothing that the plan closes keeps it
// closed.
func (p Plan) hint(path string, write bool) string {
	path = filepath.Clean(path)
	at := path
	if existing(at) == at && real(at) == "" {
		at = filepath.Dir(at) // what is to be made is refused by its folder
	}
	if slices.ContainsFunc(p.ReadOnly, func(dir string) bool { return within(existing(at), dir) }) {
		return "commands must not change " + path + ", which is run or followed later; --sandbox-write " + path + " lets them"
	}
	switch {
	case !p.Reads(at) && !write && readable(at):
		return "the sandbox closes " + path + "; --sandbox-read " + path + " opens it"
	case !p.Writes(at) && write && writable(at):
		return "the sandbox lets nobody change " + path + "; --sandbox-write " + at + " does"
	}
	return ""
}
