package sandbox

import (
	"strings"
	"testing"
)

func TestStatus_LevelAndText(t *testing.T) {
	for _, c := range []struct {
		status Status
		level  Level
		text   string
	}{
		{Status{LandlockABI: 7, Seccomp: true, Network: NetworkOn}, LevelFull, "full: landlock 7, seccomp, network on"},
		{Status{LandlockABI: 4, Seccomp: true, Network: NetworkOff, User: "1:2", Missing: []string{"a: b"}}, LevelPartial, "partial: landlock 4, seccomp, network off, user 1:2, 1 missing"},
		{Status{Seccomp: true, Network: NetworkOn, Missing: []string{"a", "b"}}, LevelPartial, "partial: seccomp, network on, 2 missing"},
		{Status{Network: NetworkOn, Missing: []string{"a"}}, LevelNone, "none: network on, 1 missing"},
	} {
		c.status.decideLevel()
		if c.status.Level != c.level || c.status.Text() != c.text {
			t.Errorf("%+v: level %s, text %q, want %s, %q", c.status, c.status.Level, c.status.Text(), c.level, c.text)
		}
	}
	if text := (Status{Level: LevelOff, Network: NetworkOn}).Text(); text != "off" {
		t.Errorf("off is %q", text)
	}
}

// What is optional is told and does not lower the level.
func TestStatus_Miss(t *testing.T) {
	var s Status
	s.miss(Mounts, "why", false)
	s.miss(Landlock, "none", true)
	s.reach(Seccomp, "what")
	s.decideLevel()
	if len(s.Missing) != 1 || s.Missing[0] != "landlock: none" {
		t.Errorf("missing are %q, want Landlock alone", s.Missing)
	}
	var names []string
	for _, m := range s.Mechanisms {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, ", "); got != "landlock, seccomp, read-only mounts" {
		t.Errorf("mechanisms are %s", got)
	}
	if err := (&UnavailableError{Status: s}).Error(); !strings.Contains(err, "landlock: none") {
		t.Errorf("the error is %q, want what is missing", err)
	}
}
