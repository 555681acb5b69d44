package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/internal/agent"
	"github.com/openagent-ci/openagent/internal/agent/demo"
	"github.com/openagent-ci/openagent/internal/evidence/resume"
	"github.com/openagent-ci/openagent/internal/platform/key"
	"github.com/openagent-ci/openagent/internal/platform/process"
	"github.com/openagent-ci/openagent/internal/runlog/record"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
	"github.com/openagent-ci/openagent/internal/tool/mcp"
	"github.com/openagent-ci/openagent/internal/tool/policy"
	"github.com/openagent-ci/openagent/internal/tool/workspace"
)

// readKey returns what is handed over for the endpoint: the content of the key
// file, if one is named, else the key of the process.
func readKey(ctx context.Context, p *process.Process, file string) (key.Handover, error) {
	if file == "" {
		return key.Handover{Key: p.Key}, nil
	}
	given, err := p.ReadKey(ctx, file)
	if err != nil {
		return key.Handover{Key: p.Key}, before(codeKey, fmt.Errorf("read key file %s: %w", file, err))
	}
	return given, nil
}

// request is what the model is asked, and what it may do.
type request struct {
	prompt string
	task   string // of the system prompt, empty for the built-in one
	policy *policy.Policy
	digest string // of the policy file, empty for the built-in policy
	schema string // of the answer, empty for any text
	final  *agent.Final
	// instructions are the repository's own part of the system prompt.
	instructions string
	servers      *mcp.Config // nil for a run that names none
	// earlier is the run that this one goes on with, nil for none.
	earlier *resume.Run
}

func (s *setup) readRequest(ctx context.Context) (q request, err error) {
	if q.prompt, err = s.readPrompt(ctx); err != nil {
		return q, err
	}
	if q.task, err = s.readTask(ctx); err != nil {
		return q, err
	}
	if q.final, err = s.readSchema(ctx); err != nil {
		return q, err
	}
	if q.final != nil {
		q.schema = q.final.Schema.Text()
	}
	if q.earlier, err = s.readEarlier(ctx); err != nil {
		return q, err
	}
	q.servers = s.servers
	q.policy, q.digest, err = s.readPolicy(ctx)
	return q, err
}

func (s *setup) readPrompt(ctx context.Context) (string, error) {
	var text []byte
	var err error
	switch {
	case s.Prompt == "-":
		text, err = s.ReadStdin(ctx, "the prompt")
	case s.Prompt != "":
		text = []byte(s.Prompt)
	case s.PromptFile != "":
		text, err = s.Read(ctx, s.PromptFile)
	case s.Resume != "":
		return "", nil
	default:
		var prompt string
		prompt, err = demo.Prompt()
		text = []byte(prompt)
	}
	switch {
	case err != nil:
	case strings.TrimSpace(string(text)) == "":
		err = errors.New("it is empty")
	case bytes.IndexByte(text, 0) >= 0:
		err = errors.New("it is no text: it has a NUL byte")
	}
	if err != nil {
		return "", before(codePrompt, fmt.Errorf("read prompt: %w", err))
	}
	return string(text), nil
}

func (s *setup) readTask(ctx context.Context) (string, error) {
	if s.TaskFile == "" {
		return "", nil
	}
	text, err := s.Read(ctx, s.TaskFile)
	if err != nil {
		return "", before(codeSystem, fmt.Errorf("read system prompt: %w", err))
	}
	return string(text), nil
}

// readSchema returns what the final text has to be, nil for any text.
func (s *setup) readSchema(ctx context.Context) (*agent.Final, error) {
	if s.OutputSchema == "" {
		return nil, nil
	}
	text, err := s.ReadUpTo(ctx, s.OutputSchema, jsonschema.MaxSchema)
	if err != nil {
		return nil, before(codeOutputSchema, fmt.Errorf("read output schema: %w", err))
	}
	schema, err := jsonschema.Compile(string(text))
	if err != nil {
		return nil, before(codeOutputSchema, fmt.Errorf("output schema %s: %w", s.OutputSchema, err))
	}
	for _, warning := range schema.Warnings() {
		s.Logger().Warn("output schema " + s.OutputSchema + ": " + warning)
	}
	return &agent.Final{Schema: schema, Attempts: int(s.OutputAttempts), ByAPI: s.OutputVia == OutputByAPI}, nil
}

// readInstructions returns what files of the workspace add to the system prompt.
func (s *setup) readInstructions(root string) (string, error) {
	texts, err := workspace.ReadInstructions(root, s.Instructions)
	if err != nil {
		return "", before(codeInstructions, fmt.Errorf("read instructions: %w", err))
	}
	return workspace.Render(texts), nil
}

// readPolicy returns the policy of the run, and the digest of its file.
func (s *setup) readPolicy(ctx context.Context) (p *policy.Policy, digest string, err error) {
	p = policy.Builtin()
	if path := s.PolicyFile; path != "" {
		text, err := s.Read(ctx, path)
		if err != nil {
			return nil, "", before(codePolicy, fmt.Errorf("read policy: %w", err))
		}
		if p, err = policy.Load(path, text); err != nil {
			return nil, "", before(codePolicy, err)
		}
		if err := s.checkPolicy(p); err != nil {
			return nil, "", before(codePolicy, err)
		}
		digest = record.Digest(text)
	}
	return p.Narrow(s.AllowTools, s.DenyTools), digest, nil
}

// checkPolicy refuses rules about tools that do not exist, and warns of those
// that never hold.
func (s *setup) checkPolicy(p *policy.Policy) error {
	arguments, err := toolArguments()
	if err != nil {
		return err
	}
	idle, err := p.CheckTools(arguments)
	for _, rule := range idle {
		s.Logger().Warn(rule)
	}
	return err
}

// toolArguments returns the arguments of each tool that a policy can decide on.
func toolArguments() (map[string]policy.Arguments, error) {
	all := map[string]policy.Arguments{}
	for _, t := range Tools() {
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(t.Parameters, &schema); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", t.Name, err)
		}
		arguments := policy.Arguments{Paths: t.PathArguments}
		for name, property := range schema.Properties {
			if property.Type == "string" {
				arguments.Texts = append(arguments.Texts, name)
			}
		}
		all[t.Name] = arguments
	}
	return all, nil
}
