package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/adapter"
	"github.com/openagent-ci/openagent/internal/model/cassette"
	"github.com/openagent-ci/openagent/internal/model/endpoint"
	"github.com/openagent-ci/openagent/internal/report"
	"github.com/openagent-ci/openagent/internal/report/scenarioresult"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/openagent-ci/openagent/internal/text/redact"
)

// Mode says what answers the agents of a script.
type Mode int

// The modes.
const (
	Scripted Mode = iota // the turns that the script names
	Recorded             // its cassette
	Live                 // the endpoint of a real model
)

// Models are the models that scripts run with: NAME for every agent, AGENT:NAME for one.
type Models []string

// of returns the models of an agent, one without a name where none is meant for it.
func (m Models) of(agent string) (models []string) {
	for _, item := range m {
		who, name, scoped := strings.Cut(item, ":")
		if scoped = scoped && slices.Contains(knownAgents(), who); !scoped {
			who, name = agent, item
		}
		if who == agent && !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	if models == nil {
		return []string{""}
	}
	return models
}

// What the commands of a script say: served finds a scripted model, asks an agent that
// may need a model.
var (
	served = lazyregexp.New(`(?m)^(?:[^#\n]*\s)?model\s`)
	asks   = lazyregexp.New(`(?m)^(?:[^#\n]*\s)?(?:model|agent|judge|openagent run|openagent ci)\s|\$\{?MODEL_URL\b`)
)

// commandsOf returns the commands of a script, each after a line end.
func commandsOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read script: %w", err)
	}
	commands, _, _ := strings.Cut("\n"+string(text), "\n-- ")
	return commands, nil
}

// byModel returns the scripts in their modes, once for each model.
func (s Selection) byModel(scripts []Script) (all []Script, err error) {
	for _, one := range scripts {
		if one.Unreadable != nil {
			all = append(all, one)
			continue
		}
		commands, err := commandsOf(one.File)
		if err != nil {
			return nil, err
		}
		switch {
		case !asks().MatchString(commands):
			all = append(all, one)
		case s.Mode == Live:
			for _, model := range s.Models.of(one.Agent) {
				live := one.with(Live, one.Agent, model)
				if !s.Record {
					live.Cassette = ""
				}
				all = append(all, live)
			}
		case s.Mode == Recorded || !served().MatchString(commands):
			recorded, err := s.recorded(one, anyAgent().MatchString(commands))
			if err != nil {
				return nil, err
			}
			if s.Mode == Scripted && len(recorded) == 0 {
				recorded = []Script{one}
			}
			all = append(all, recorded...)
		default:
			all = append(all, one)
		}
	}
	return all, checkCassettes(all)
}

// recorded returns a script once for each of its cassettes that is meant. In mode
// Recorded one that is meant by name need not be there, nor any: the script then fails.
func (s Selection) recorded(one Script, anyAgent bool) (all []Script, err error) {
	names, err := cassettesOf(one.File)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, rest := range names {
		agent, model := one.Agent, rest
		if anyAgent {
			agent, model, _ = strings.Cut(rest, ".")
		}
		if anyAgent && (!slices.Contains(knownAgents(), agent) || one.Agent != "" && one.Agent != agent) {
			continue
		}
		for _, meant := range s.Models.of(agent) {
			if len(s.Models) == 0 || fileName(meant) == model {
				recorded := one.with(Recorded, agent, cmp.Or(meant, model))
				found[recorded.Cassette] = true
				all = append(all, recorded)
			}
		}
	}
	if s.Mode == Recorded && (len(all) == 0 || !anyAgent || one.Agent != "") {
		for _, meant := range s.Models.of(one.Agent) {
			if missing := one.with(Recorded, one.Agent, meant); !found[missing.Cassette] && (meant != "" || len(all) == 0) {
				all = append(all, missing)
			}
		}
	}
	return all, nil
}

// with returns a script in a mode, with its agent, model and cassette.
func (s Script) with(mode Mode, agent, model string) Script {
	if agent != "" && s.Agent == "" {
		s.Env = append([]string{agentVariable + "=" + agent}, s.Env...)
	}
	s.Mode, s.Agent, s.Model = mode, agent, model
	name := strings.TrimSuffix(s.File, filepath.Ext(s.File))
	for _, part := range []string{agent, model} {
		if part != "" {
			name += "." + fileName(part)
		}
	}
	s.Cassette = name + cassetteEnding
	return s
}

const cassetteEnding = ".cassette"

// notInNames matches what is replaced in the names of files.
var notInNames = lazyregexp.New(`[^A-Za-z0-9._-]`)

func fileName(text string) string { return notInNames().ReplaceAllString(text, "-") }

// cassettesOf returns what the names of a script's cassettes say beside the name of the
// script, in order. A cassette belongs to the script in its folder with the longest name
// that fits.
func cassettesOf(script string) (names []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(script))
	if err != nil {
		return nil, fmt.Errorf("look for cassettes: %w", err)
	}
	var scripts, stems []string
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), cassetteEnding); ok {
			stems = append(stems, stem)
		} else if filepath.Ext(e.Name()) == filepath.Ext(script) {
			scripts = append(scripts, scriptName(e.Name()))
		}
	}
	own := scriptName(script)
	for _, stem := range stems {
		rest, ok := strings.CutPrefix(stem+".", own+".")
		longer := func(other string) bool { return len(other) > len(own) && strings.HasPrefix(stem+".", other+".") }
		if ok && !slices.ContainsFunc(scripts, longer) {
			names = append(names, strings.TrimSuffix(rest, "."))
		}
	}
	return names, nil
}

// checkCassettes refuses scripts that share a cassette.
func checkCassettes(scripts []Script) error {
	places := map[string]Script{}
	for _, s := range scripts {
		if other, ok := places[s.Cassette]; ok && s.Cassette != "" {
			return hint.With(fmt.Errorf("%s and %s have the same cassette %s", other, s, shown(s.Cassette)),
				"rename a scenario, or run the models one after the other and keep their cassettes elsewhere")
		}
		places[s.Cassette] = s
	}
	return nil
}

// recordCommand returns the command that records a script's cassette.
func (s Script) recordCommand() string {
	words := []string{"openagent test --live --record"}
	if s.Agent != "" {
		words = append(words, "--agents "+s.Agent)
	}
	if s.Model != "" {
		words = append(words, "--models "+report.ShellWord(s.Model))
	}
	return strings.Join(append(words, report.ShellWord(s.File)), " ")
}

// CheckLive refuses scripts that would ask a real model without a key. base is the
// address of the endpoint, empty for those of the agents' makers.
func (p *Plan) CheckLive(to endpoint.Upstream) error {
	missing := map[string]bool{}
	for _, s := range p.Scripts {
		if s.Mode == Live {
			missing[to.Missing(s.Agent)] = true
		}
	}
	delete(missing, "")
	if len(missing) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(missing)), ", ")
	return hint.With(fmt.Errorf("--live asks a real model, and there is no key: %s is not set", names),
		"set it, or give --no-key where the endpoint in OPENAGENT_BASE_URL wants none")
}

// source opens what answers one attempt of a script, nil where the script says that
// itself.
func (s *suite) source(ctx context.Context, script Script) (*endpoint.Source, error) {
	masks := redact.New(s.Secrets(s.opts.Secrets, s.Key))
	var source *endpoint.Source
	var err error
	switch script.Mode {
	case Live:
		source, err = endpoint.Live(ctx, s.Process, s.opts.Upstream, script.Cassette, masks)
	case Recorded:
		if source, err = endpoint.Cassette(ctx, s.Process, script.Cassette, script.recordCommand(), masks); err == nil {
			source.ByPrompt()
		}
	}
	return source, err
}

// answered returns a runner of scripts for which run has an endpoint: what the cassette
// or the real model has to do with the result is in that.
func (s *suite) answered(run Runner) Runner {
	return func(ctx context.Context, script Script) scenarioresult.Script {
		source, err := s.source(ctx, script)
		if err != nil {
			why := err.Error()
			if fix := hint.Of(err); fix != "" {
				why += "\n" + fix
			}
			return script.failed(why)
		}
		if source == nil {
			return run(ctx, script)
		}
		if script.Mode == Recorded && (script.Model == "" || fileName(source.Model) == script.Model) {
			script.Model = source.Model
		}
		script.Source = source
		result := run(ctx, script)
		if script.Model != "" {
			result.Model = &script.Model
		}
		result.Drift = source.Drift()
		again := script.recordCommand()
		fail := func(why string) {
			result.Outcome = scenarioresult.Failed
			if !strings.Contains(result.Log, again) || !strings.Contains(why, again) {
				result.Log += "FAIL: " + script.File + ": " + why
			}
		}
		if miss := source.Miss(); miss != "" {
			fail("the cassette has no answer: " + miss)
		}
		if err := source.Close(result.Outcome == scenarioresult.Passed); err != nil {
			fail(err.Error() + "\n")
		}
		return result
	}
}

// SetAgent notes whose requests a source gets, and where that works.
func (s Script) SetAgent(folder string) {
	s.Source.SetAgent(cassette.Agent{Name: cmp.Or(s.Agent, "scenario"), Folder: folder})
}

// knownAgents are the names of the agents that scripts can run with.
func knownAgents() []string { return append(adapter.Names(), adapter.Contract) }

// agentVariable has, in a script, the name of the agent that it runs with.
const agentVariable = "AGENT"

// anyAgent finds in the commands of a script one that runs whichever agent is asked
// for.
var anyAgent = lazyregexp.New(`(?m)^(?:[^#\n]*\s)?agent\s(?:[^#\n]*\s)?\$(?:AGENT\b|\{AGENT\})`)

// agentNames returns the agents that names stand for, each once: all for every
// one that is known.
func agentNames(names []string) (agents []string, err error) {
	known := knownAgents()
	for _, name := range names {
		meant := []string{name}
		if name == "all" {
			meant = known
		} else if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown agent %q; known: %s, and all for each of them", name, strings.Join(known, ", "))
		}
		for _, one := range meant {
			if !slices.Contains(agents, one) {
				agents = append(agents, one)
			}
		}
	}
	return agents, nil
}

// forAgents returns the scripts, and where agents are named those for any agent once
// for each of them. Only one agent may update scripts.
func (s Selection) forAgents(scripts []Script) ([]Script, error) {
	if len(s.Agents) == 0 {
		return scripts, nil
	}
	agents, err := agentNames(s.Agents)
	if err == nil && len(agents) > 1 && s.Update {
		err = errors.New("--update rewrites a script by what one agent does: name one")
	}
	if err == nil {
		scripts, err = byAgent(scripts, agents)
	}
	if err != nil {
		return nil, fmt.Errorf("--agents is %q: %w", shown(strings.Join(s.Agents, ",")), err)
	}
	return scripts, nil
}

// byAgent returns the scripts with those that run any agent once for each of
// agents. One of them must.
func byAgent(scripts []Script, agents []string) (all []Script, err error) {
	several := false
	for _, s := range scripts {
		if s.Unreadable != nil {
			all = append(all, s)
			continue
		}
		commands, err := commandsOf(s.File)
		if err != nil {
			return nil, err
		}
		if !anyAgent().MatchString(commands) {
			all = append(all, s)
			continue
		}
		several = true
		for _, agent := range agents {
			one := s
			one.Agent, one.Env = agent, append([]string{agentVariable + "=" + agent}, s.Env...)
			all = append(all, one)
		}
	}
	if !several {
		return nil, fmt.Errorf("no script runs any agent: it says agent $%s", agentVariable)
	}
	return all, nil
}
