package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Trigger is what started a job.
type Trigger struct {
	// Event is the name of the event, Actor the login of who caused it,
	// Repository the owner/name that the job belongs to.
	Event, Actor, Repository string
	// Payload is the event as JSON.
	Payload []byte
	// Scripts says that scripts run which ask no real model.
	Scripts bool
	// Key says where a provider's key is within reach, for people; empty if none
	// is.
	Key string
	// AllowUsers and AllowBots are logins that may start an agent although
	// the event does not show that they can write.
	AllowUsers, AllowBots []string
}

// jobTokens are the variables of the runner's own tokens, which GitHub gives the
// job of a fork to read only.
var jobTokens = []string{"GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}

// KeyInReach returns the first variable of environ, as of os.Environ, that holds a
// key by its name: an API_KEY or TOKEN of whatever but the job's own; empty if
// there is none.
func KeyInReach(environ []string) string {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		upper := "_" + strings.ToUpper(name)
		key := strings.HasSuffix(upper, "_API_KEY") || strings.HasSuffix(upper, "_TOKEN")
		if key && value != "" && !slices.Contains(jobTokens, upper[1:]) {
			return name
		}
	}
	return ""
}

// byWriters are the events that need write access to the repository, or that no
// person causes.
var byWriters = []string{
	"branch_protection_rule", "create", "delete", "deployment", "label", "merge_group", "milestone", "push",
	"registry_package", "release", "repository_dispatch", "schedule", "workflow_dispatch",
}

// payload is the part of an event that Admit asks about.
type payload struct {
	Sender      account  `json:"sender"`
	PullRequest *subject `json:"pull_request"`
	Issue       *subject `json:"issue"`
	Comment     *subject `json:"comment"`
	Review      *subject `json:"review"`
	Discussion  *subject `json:"discussion"`
	WorkflowRun *struct {
		HeadRepository *repository `json:"head_repository"`
	} `json:"workflow_run"`
}

// subject is what an event is about, with its author.
type subject struct {
	User        account `json:"user"`
	Association string  `json:"author_association"`
	Head        struct {
		Repo *repository `json:"repo"`
	} `json:"head"`
}

type account struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type repository struct {
	FullName string `json:"full_name"`
}

// Admit decides whether the job may run an agent; its error says why not, and
// the way out. It refuses pull_request_target, a key beside the code of a
// fork, bots that are not named, and people of whom the event does not show
// that they may write. It asks nobody: what the event says of its author's
// association with the repository is the nearest thing to a permission that is
// known without a request, and counts for the author alone.
func Admit(t Trigger) error {
	for input, list := range map[string][]string{"allow-users": t.AllowUsers, "allow-bots": t.AllowBots} {
		if slices.ContainsFunc(list, func(name string) bool { return strings.Contains(name, "*") }) {
			return fmt.Errorf("%s takes no *; name each login", input)
		}
	}
	if t.Event == "pull_request_target" {
		return errors.New("pull_request_target runs with the repository's secrets on a stranger's word; use pull_request")
	}
	var p payload
	if len(t.Payload) > 0 {
		if err := json.Unmarshal(t.Payload, &p); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
	}
	if t.Key != "" && p.fromFork(t) {
		return fmt.Errorf("a pull request from a fork must not reach a provider's key, and there is %s; run it without api-key, and without variables that end in API_KEY or TOKEN", t.Key)
	}
	if t.Event == "schedule" {
		return nil // started by the clock, whoever wrote it last
	}
	if t.Scripts && t.Key == "" && t.Event == "pull_request" && p.fromFork(t) {
		return nil // a test like any other of a stranger's pull request
	}
	return p.admitActor(t)
}

// IsFork reports whether the job runs the code of another repository, and true where the
// event cannot be read.
func IsFork(getenv func(string) string) bool {
	t, err := Inputs(getenv, "")
	var p payload
	if err != nil || len(t.Payload) > 0 && json.Unmarshal(t.Payload, &p) != nil {
		return true
	}
	return p.fromFork(t)
}

// fromFork reports whether the code comes from another repository than the
// job's; where it should say and does not, it counts as a fork.
func (p payload) fromFork(t Trigger) bool {
	switch {
	case p.PullRequest != nil:
		return foreign(p.PullRequest.Head.Repo, t)
	case p.WorkflowRun != nil:
		return foreign(p.WorkflowRun.HeadRepository, t)
	}
	return strings.HasPrefix(t.Event, "pull_request") || t.Event == "workflow_run"
}

func foreign(r *repository, t Trigger) bool {
	return r == nil || !strings.EqualFold(r.FullName, t.Repository)
}

func (p payload) admitActor(t Trigger) error {
	if strings.HasSuffix(strings.ToLower(t.Actor), "[bot]") || p.Sender.Type == "Bot" {
		if listed(t.AllowBots, t.Actor) {
			return nil
		}
		return fmt.Errorf("%q is a bot; allow-bots can name it", t.Actor)
	}
	if listed(t.AllowUsers, t.Actor) || slices.Contains(byWriters, t.Event) || p.associated(t.Actor) {
		return nil
	}
	if t.Event == "pull_request" && !p.fromFork(t) {
		return nil // only who can write has a branch in the repository itself
	}
	if t.Actor == "" {
		return fmt.Errorf("event %q does not say who caused it: GITHUB_EVENT_NAME or GITHUB_ACTOR is not set", t.Event)
	}
	return fmt.Errorf("event %s by %q does not show that they may write to the repository; allow-users can name them", t.Event, t.Actor)
}

// associated reports whether the event was caused by its own author, and that
// author belongs to the repository.
func (p payload) associated(actor string) bool {
	s := p.subject()
	if s == nil || !strings.EqualFold(s.User.Login, actor) {
		return false
	}
	return slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, s.Association)
}

// subject is the innermost thing that the event is about: of a comment on an
// issue the comment.
func (p payload) subject() *subject {
	for _, s := range []*subject{p.Comment, p.Review, p.PullRequest, p.Issue, p.Discussion} {
		if s != nil {
			return s
		}
	}
	return nil
}

// listed compares logins as GitHub does, without regard to case.
func listed(list []string, login string) bool {
	return login != "" && slices.ContainsFunc(list, func(name string) bool { return strings.EqualFold(name, login) })
}
