package job

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Variables by which action.yml hands over what is no flag of the harness.
const (
	EnvAllowUsers = "OPENAGENT_ALLOW_USERS"
	EnvAllowBots  = "OPENAGENT_ALLOW_BOTS"
	// EnvOnRefusal says what a refusal comes to, fail or skip.
	EnvOnRefusal = "OPENAGENT_ON_REFUSAL"
	// EnvRefused is what the action itself found wrong with its inputs.
	EnvRefused = "OPENAGENT_REFUSED"
	// EnvMatrix is the job's place in a matrix, as JSON. The runner has no
	// variable for it, and GITHUB_JOB is the same in the whole matrix.
	EnvMatrix = "OPENAGENT_MATRIX"
	// EnvArgs has further flags of the command, one a line.
	EnvArgs = "OPENAGENT_ARGS"
)

// maxPayload bounds what is read of an event's payload; GitHub's own bound for
// a payload is 25 MB.
const maxPayload = 25 << 20

// Inputs returns what started the job, for Admit. hasKey reports whether a
// provider's key is within reach of the harness.
func Inputs(getenv func(string) string, key string) (Trigger, error) {
	t := Trigger{
		Event: getenv(envEvent), Actor: getenv(envActor), Repository: getenv(envRepository),
		Key:        key,
		AllowUsers: names(getenv(EnvAllowUsers)), AllowBots: names(getenv(EnvAllowBots)),
	}
	path := getenv(envEventPath)
	if path == "" {
		return t, nil
	}
	// To open another one may take for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return t, fmt.Errorf("read event: %s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return t, fmt.Errorf("read event: %w", err)
	}
	defer f.Close()
	if t.Payload, err = io.ReadAll(io.LimitReader(f, maxPayload)); err != nil {
		return t, fmt.Errorf("read event: %w", err)
	}
	return t, nil
}

// AdmitJob is Admit of the job that the environment describes, as os.Environ and
// os.Getenv give it. key says where it has a key, empty if the variables decide; scripts
// is [Trigger].Scripts.
func AdmitJob(environ []string, getenv func(string) string, key string, scripts bool) error {
	if name := KeyInReach(environ); key == "" && name != "" {
		key = "the variable " + name
	}
	t, err := Inputs(getenv, key)
	t.Scripts = scripts
	if err != nil {
		return err
	}
	return Admit(t)
}

// EvidenceParent returns the folder below which evidence lies when no other is
// named, "" when the runner does not name its folder for such files.
func EvidenceParent(getenv func(string) string) string {
	temp := getenv(envTemp)
	if temp == "" {
		return ""
	}
	return filepath.Join(temp, "openagent", "evidence")
}

// names splits a list at commas, blanks and line ends.
func names(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool {
		return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r'
	})
}
