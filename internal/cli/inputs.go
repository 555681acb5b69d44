package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/demo"
	"github.com/openagent-ci/openagent/internal/event"
	"github.com/openagent-ci/openagent/internal/git"
	"github.com/openagent-ci/openagent/internal/policy"
	"github.com/openagent-ci/openagent/internal/process"
	"github.com/openagent-ci/openagent/internal/provider"
	"github.com/openagent-ci/openagent/internal/record"
	"github.com/openagent-ci/openagent/internal/redact"
	"github.com/openagent-ci/openagent/internal/transport"
)

// readKey reads the key file, if one is named; it comes before the variable.
func (r *agentRun) readKey(ctx context.Context) error {
	r.key = r.program.Key
	if r.flags.keyFile == "" {
		return nil
	}
	given, err := r.program.ReadKey(ctx, r.flags.keyFile)
	if err != nil {
		return before(codeKey, fmt.Errorf("read key file: %w", err))
	}
	r.key, r.given = given.Key, given.Secrets
	r.flags.asking.takeHanded(given.Further)
	r.redactor = redact.New(r.secrets())
	return nil
}

func (r *agentRun) readPrompt(ctx context.Context) error {
	var text []byte
	var err error
	switch {
	case r.flags.prompt == "-":
		text, err = r.program.ReadStdin(ctx, "the prompt")
	case r.flags.prompt != "":
		text = []byte(r.flags.prompt)
	case r.flags.promptFile != "":
		text, err = r.program.Read(ctx, r.flags.promptFile)
	default:
		var prompt string
		prompt, err = demo.Prompt()
		text = []byte(prompt)
	}
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = errors.New("it is empty")
	}
	if err != nil {
		return before(codePrompt, fmt.Errorf("read prompt: %w", err))
	}
	r.prompt = string(text)
	return nil
}

func (r *agentRun) readTask(ctx context.Context) error {
	if r.flags.systemFile == "" {
		return nil
	}
	text, err := r.program.Read(ctx, r.flags.systemFile)
	if err != nil {
		return before(codeSystem, fmt.Errorf("read system prompt: %w", err))
	}
	r.task = string(text)
	return nil
}

func (r *agentRun) readPolicy(ctx context.Context) error {
	r.policy = policy.Builtin()
	if path := r.flags.policyFile; path != "" {
		text, err := r.program.Read(ctx, path)
		if err != nil {
			return before(codePolicy, fmt.Errorf("read policy: %w", err))
		}
		if r.policy, err = policy.Load(path, text); err != nil {
			return before(codePolicy, err)
		}
		if err := r.checkPolicy(); err != nil {
			return before(codePolicy, err)
		}
		r.digest = record.Digest(text)
	}
	r.policy = r.policy.Narrow(r.flags.allowTools, r.flags.denyTools)
	return nil
}

// checkPolicy refuses rules about tools that do not exist, and warns of those
// that never hold.
func (r *agentRun) checkPolicy() error {
	known, err := toolArguments()
	if err != nil {
		return err
	}
	idle, err := r.policy.CheckTools(known)
	for _, rule := range idle {
		r.program.Logger().Warn(rule)
	}
	return err
}

// chosenModel is the model of a run and what is told of it.
type chosenModel struct {
	agent.Model
	provider, name string
	endpoint       string // its address, empty where none is asked
	digest         string // of the script or the cassette that answers
}

func (r *agentRun) chooseModel(ctx context.Context) error {
	if r.flags.script != "" {
		return r.scriptedModel(ctx)
	}
	if r.flags.cassette != "" {
		return r.cassetteModel(ctx)
	}
	return r.networkModel()
}

// asks reports whether the model is behind an endpoint. What keeps a cassette
// from being found is for the run to tell.
func (f *runFlags) asks(p process.Place) bool {
	if f.script != "" || f.cassette == "" {
		return f.script == ""
	}
	recording, err := records(p, f.cassetteMode.value, f.cassette)
	return err == nil && recording
}

// endpoint returns the address that is asked.
func (f *runFlags) endpoint() string { return cmp.Or(string(f.baseURL), provider.DefaultBaseURL) }

// networkModel asks an endpoint, and records what it says if there is a tape.
func (r *agentRun) networkModel() error {
	base, asking := r.flags.endpoint(), &r.flags.asking
	if err := mayAsk(r.program.Place, base); err != nil {
		return err
	}
	if r.flags.baseURL == "" && r.key == "" && len(asking.secrets()) == 0 {
		return before(codeKeyMissing, errors.New("no key for "+base)).
			or("set OPENAI_API_KEY or --api-key-file, or name another endpoint by --base-url")
	}
	host := base
	if u, err := url.Parse(base); err == nil {
		host = u.Host
	}
	r.model = chosenModel{provider: host, endpoint: base, name: r.flags.model, Model: r.client(provider.Config{
		API: provider.API(r.flags.api.value), BaseURL: base, Model: r.flags.model, Key: r.key, KeySource: r.keySource(),
		Jitter: r.tape == nil, // a replay waits as long as the recording
		Header: asking.header.sent(),
		HTTP: transport.Network(transport.Options{
			Timeout: r.flags.providerTimeout.duration(), Record: r.tape, Secret: len(asking.secrets()) > 0,
		}),
	})}
	return nil
}

// networkVariable keeps the program from asking other machines when it is
// loopback, as it is in scripts.
const networkVariable = "OPENAGENT_NETWORK"

// mayAsk refuses an endpoint on another machine where only loopback is allowed.
func mayAsk(p process.Place, base string) error {
	if p.Getenv(networkVariable) != "loopback" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil {
		return before(codeNetwork, fmt.Errorf("network access is refused, and the address cannot be read: %w", err))
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return before(codeNetwork, fmt.Errorf("network access to %s is refused: %s is loopback", host, networkVariable)).
		or("answer from a script by --script; lines of scripts that need a network begin with [network], which OPENAGENT_TEST_NETWORK=1 lets run")
}

// scriptedModel answers from a script, through the same client that asks a
// real endpoint.
func (r *agentRun) scriptedModel(ctx context.Context) error {
	script, text, err := readScript(ctx, r.program.Place, r.flags.script)
	if err != nil {
		return before(codeScript, err)
	}
	name := filepath.Base(r.flags.script)
	r.model = chosenModel{provider: "script", name: name, digest: record.Digest(text), Model: r.client(provider.Config{
		API: provider.API(r.flags.api.value), BaseURL: "http://script.invalid/v1", Model: name,
		HTTP: transport.Client(script, transport.Options{Timeout: r.flags.providerTimeout.duration()}),
	})}
	return nil
}

// readScript reads the script of that name, a file or the one of the demo, and
// returns its text too.
func readScript(ctx context.Context, p process.Place, name string) (script *transport.Script, text []byte, err error) {
	if name == demo.Name {
		text, err = demo.Script()
	} else {
		text, err = p.Read(ctx, name)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read script: %w", err)
	}
	script, err = transport.LoadScript(name, text)
	return script, text, err
}

func (r *agentRun) openLog(ctx context.Context) error {
	path := r.flags.events
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(r.program.Path(path)), 0o755); err != nil {
		return before(codeEvents, fmt.Errorf("open event log: %w", err))
	}
	f, err := process.Await(ctx, func() (*os.File, error) {
		return os.OpenFile(r.program.Path(path), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	})
	if err != nil {
		return before(codeEvents, fmt.Errorf("open event log: %w", err))
	}
	r.log = &sideLog{log: event.NewLog(r.patient(f), r.stream)}
	r.closers = append(r.closers, f.Close)
	return nil
}

// openWorkspace settles which folder is the workspace; the demo brings its own.
func (r *agentRun) openWorkspace(ctx context.Context) error {
	if r.flags.script == demo.Name {
		return r.demoWorkspace(ctx)
	}
	dir, err := r.program.Abs(r.flags.workspace)
	if err != nil {
		return before(codeWorkspace, fmt.Errorf("open workspace: %w", err))
	}
	info, err := os.Stat(dir)
	if err != nil {
		return before(codeWorkspace, fmt.Errorf("open workspace: %w", err))
	}
	if !info.IsDir() {
		return before(codeWorkspace, fmt.Errorf("open workspace: %s is not a folder", dir))
	}
	r.root = dir
	return nil
}

// demoWorkspace fills the named folder, or a temporary one that goes with the
// run, and makes a repository of it.
func (r *agentRun) demoWorkspace(ctx context.Context) error {
	dir := r.flags.workspace
	if !r.flags.workspaceGiven {
		temp, err := os.MkdirTemp(r.program.Temp(), "openagent-demo-")
		if err != nil {
			return before(codeDemo, fmt.Errorf("make demo workspace: %w", err))
		}
		r.closers = append(r.closers, func() error { return os.RemoveAll(temp) })
		dir = temp
	}
	dir, err := r.program.Abs(dir)
	if err != nil {
		return before(codeDemo, fmt.Errorf("make demo workspace: %w", err))
	}
	if err := demo.Fill(dir); err != nil {
		return before(codeWorkspaceTaken, fmt.Errorf("fill demo workspace: %w", err)).
			or("name a new or empty folder by --workspace, or none")
	}
	repo, err := git.New(dir, git.Options{Path: r.program.Getenv("PATH"), Now: r.clock().Now})
	if err == nil {
		_, err = repo.Init(ctx, demo.FirstCommit)
	}
	if err != nil {
		return before(codeDemo, fmt.Errorf("make demo repository: %w", err)).or("the demo needs git on the PATH")
	}
	r.root = dir
	return nil
}

func (r *agentRun) runID() string {
	if id := string(r.flags.runID); id != "" {
		return id
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return r.clock().Now().Format("20060102T150405Z-") + hex.EncodeToString(random[:])
}

// openRecord opens the run folder, in the folder that a harness gives or else
// in the state folder.
func (r *agentRun) openRecord(runID string, clock *event.Clock, fingerprint string) (*record.Run, error) {
	root := r.program.Getenv(process.ArtifactsVariable)
	if root == "" {
		state, err := r.stateFolder()
		if err != nil {
			return nil, before(codeState, err).or("name a folder by --state-dir")
		}
		root = filepath.Join(state, "runs")
	}
	root, err := r.program.Abs(root)
	if err != nil {
		return nil, before(codeState, err)
	}
	rec, err := record.Open(root, record.Info{
		RunID: runID, Started: clock.Now(), CLI: r.maskedFlags(),
		Paths: map[string]string{
			"workspace": r.redactor.String(r.root), "run": r.redactor.String(filepath.Join(root, runID)),
		},
		PromptSHA256: record.Digest([]byte(r.prompt)), PolicySHA256: r.digest, ConfigFingerprint: fingerprint,
	})
	if errors.Is(err, record.ErrExists) {
		return nil, before(codeRunExists, err).or("choose another --run-id or --state-dir, or remove that folder")
	}
	if err != nil {
		return nil, before(codeState, err).or("name a folder that can be written by --state-dir")
	}
	return rec, nil
}
