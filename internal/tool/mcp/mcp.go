// Package mcp is the client of MCP servers: it reads their configuration, starts
// them, and offers their tools.
//
// A server is a stranger. Its tools go the way of all tools; what it says of them is
// shown to the model as the server's own words; nothing that it sends is queued without
// a bound, and nobody waits for it without one. It is started once and ended with all
// that it started.
package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openagent-ci/openagent/internal/sandbox/sandboxexec"
	"github.com/openagent-ci/openagent/internal/text/hint"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/policy"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// StartTime is what a server has to be ready.
const StartTime = 30 * time.Second

// Bounds of what servers offer.
const (
	// MaxTools is how many of their tools a model can be offered, which is what
	// endpoints accept.
	MaxTools = 128
	// maxDescribed bounds the names, descriptions and schemas of all tools together,
	// in bytes: they go with each request.
	maxDescribed = 1 << 20
)

// Options say how servers are run.
type Options struct {
	Config Config
	// Variables are those that Config was read with.
	Variables Variables
	// Version is that of the client.
	Version string
	// Root is the folder of a server that is a command, Environ its environment.
	Root    string
	Environ []string
	// Commands starts commands within the wall.
	Commands *sandboxexec.Commands
	// Offers reports whether the model is offered the tool of that name.
	Offers func(name string) bool
	// Timeout is the time for one call; progress begins it anew.
	Timeout time.Duration
	// StartTime is what a server has to be ready, 0 for the usual.
	StartTime time.Duration
	// Stderr gets what servers that are commands print there, a line at a time.
	Stderr io.Writer
	// Filter takes secrets out of it; nil for none.
	Filter func(io.Writer) io.WriteCloser
	Log    *slog.Logger
}

// Servers are those of one run.
type Servers struct {
	options Options
	all     []*server
	results result.Options
}

// Status is what became of a server.
type Status struct {
	Name   string
	Tools  int // that can be called, whatever the policy says of them
	Status string
}

// What Status.Status says.
const (
	Connected = "connected"
	Failed    = "failed"
)

// Start starts all servers at a time and waits until each can be used. One that cannot
// be is an error, unless it is optional. Nothing runs after an error.
func Start(ctx context.Context, o Options) (*Servers, error) {
	if o.StartTime == 0 {
		o.StartTime = StartTime
	}
	s := &Servers{options: o}
	var starting sync.WaitGroup
	for _, config := range o.Config.Servers {
		one := &server{config: config, options: o}
		s.all = append(s.all, one)
		starting.Go(func() { one.failure = one.start(ctx) })
	}
	starting.Wait()
	err := s.checkStarted(ctx)
	if err == nil {
		err = check(s.found(), o.Offers)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkStarted returns why the first server that is needed is not there, and warns of
// the others.
func (s *Servers) checkStarted(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for _, one := range s.all {
		switch {
		case one.failure == nil:
		case !one.config.Optional:
			return fmt.Errorf("MCP server %s: %w", one.config.Name, one.failure)
		default:
			s.options.Log.Warn("an optional MCP server cannot be used", "server", one.config.Name, "error", one.failure)
		}
	}
	return nil
}

// Status returns what became of each server, in the order of the file.
func (s *Servers) Status() (all []Status) {
	for _, one := range s.all {
		status := Status{Name: one.config.Name, Tools: len(one.tools), Status: Connected}
		if one.failure != nil {
			status.Status = Failed
		}
		all = append(all, status)
	}
	return all
}

// Tools returns the tools of all servers; what they bring is bounded by results.
func (s *Servers) Tools(results result.Options) []tool.Tool {
	if s == nil {
		return nil
	}
	s.results = results
	return s.make()
}

// Specs returns what the tools of all servers are, sorted by name.
func (s *Servers) Specs() []tool.Spec {
	if s == nil {
		return nil
	}
	return tool.NewRegistry(s.make()...).Specs()
}

// make makes tools of what is known of them.
func (s *Servers) make() (all []tool.Tool) {
	for _, one := range s.all {
		for _, t := range one.tools {
			all = append(all, one.define(t, s.results))
		}
	}
	return all
}

// Changed asks the servers that said so for their tools, and returns those of all
// servers where they are others than before. What cannot be taken over is warned of,
// and everything stays as it was.
func (s *Servers) Changed(ctx context.Context) (tools []tool.Tool, changed bool) {
	for _, one := range s.all {
		if one.failure != nil || !one.stale.Swap(false) {
			continue
		}
		before := one.tools
		found, err := one.list(ctx)
		if err == nil {
			one.tools = found
			err = check(s.found(), s.options.Offers)
		}
		if err != nil {
			one.tools = before
			s.options.Log.Warn("the changed tools of an MCP server are not taken over", "server", one.config.Name, "error", err)
			continue
		}
		changed = one.reportChanges(before) || changed
	}
	if !changed {
		return nil, false
	}
	return s.make(), true
}

// found returns the tools of all servers.
func (s *Servers) found() (all []remoteTool) {
	for _, one := range s.all {
		all = append(all, one.tools...)
	}
	return all
}

// check returns why tools cannot be offered together.
func check(tools []remoteTool, offers func(string) bool) error {
	size, offered, by := 0, 0, map[string]remoteTool{}
	for _, t := range tools {
		if other, found := by[t.name]; found {
			return fmt.Errorf("tool %s of MCP server %s and tool %s of %s would both be called %s",
				quoted(other.remote), other.server, quoted(t.remote), t.server, t.name)
		}
		by[t.name] = t
		if offers == nil || offers(t.name) {
			offered++
			size += len(t.name) + len(t.description) + len(t.parameters)
		}
	}
	switch {
	case offered > MaxTools:
		return hint.With(fmt.Errorf("MCP servers offer %d tools, and a model can be offered %d", offered, MaxTools), fewer)
	case size > maxDescribed:
		return hint.With(fmt.Errorf("the descriptions of the tools of MCP servers have %d bytes, want at most %d", size, maxDescribed), fewer)
	}
	return nil
}

// fewer is the way out where servers offer too much.
const fewer = "choose among their tools by --allow-tools or --deny-tools"

// UnmatchedPatterns returns the patterns, of those about tools of servers, that fit no tool that
// there is.
func (s *Servers) UnmatchedPatterns(patterns []string) (idle []string) {
	for _, p := range patterns {
		fits := func(t remoteTool) bool { return policy.Match(p, t.name) }
		if strings.HasPrefix(p, policy.ServerTools) && !slices.ContainsFunc(s.found(), fits) && !slices.Contains(idle, p) {
			idle = append(idle, p)
		}
	}
	return idle
}

// Names returns the names of all tools that there are.
func (s *Servers) Names() (names []string) {
	for _, t := range s.found() {
		names = append(names, t.name)
	}
	return names
}

// Close ends all servers at a time, each with everything that it started. It may be
// called more than once.
func (s *Servers) Close() {
	if s == nil {
		return
	}
	var ending sync.WaitGroup
	for _, one := range s.all {
		ending.Go(one.end)
	}
	ending.Wait()
}
