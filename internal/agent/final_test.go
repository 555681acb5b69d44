package agent

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/runlog/chat"
	"github.com/openagent-ci/openagent/internal/text/jsonschema"
)

// reply is one answer of a model.
type reply = func(context.Context, chat.Request) (chat.Reply, error)

// final is what a run of the tests has to answer: {"n": whole number}.
func final(t *testing.T, attempts int) *Final {
	t.Helper()
	s, err := jsonschema.Compile(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	return &Final{Schema: s, Attempts: attempts}
}

// tryFinal runs an agent that has to give such an answer.
func tryFinal(t *testing.T, m *answers, attempts int, edit func(*Config)) (Result, *recording) {
	t.Helper()
	return try(t, m, func(c *Config) {
		c.Final = final(t, attempts)
		if edit != nil {
			edit(c)
		}
	})
}

func TestFinal_AskedAgainUntilItFits(t *testing.T) {
	m := model(says("Here it is: {\"n\":1}"), says(`{"n":"1"}`), says("```json\n{\"n\": 1}\n```\n"))
	res, _ := tryFinal(t, m, 2, nil)
	if !res.OK || res.FinalOutput != `{"n": 1}` {
		t.Errorf("Run = %+v, want ok with the bare value", res)
	}
	if len(m.requests) != 3 {
		t.Fatalf("%d requests, want 3", len(m.requests))
	}
	if system := m.requests[0][0].Content; !strings.Contains(system, `"required":["n"]`) || !strings.Contains(system, "one JSON value") {
		t.Errorf("the system prompt does not say what is wanted: %s", system)
	}
	last := m.requests[2]
	for i, want := range []string{`no JSON but "Here it is: {\"n\":1}" at line 1, column 1`, `/n: got the string "1", want a whole number`} {
		correction := last[len(last)-3+2*i]
		if correction.Role != chat.RoleUser || !strings.Contains(correction.Content, want) {
			t.Errorf("correction %d is %+v, want a user's message with %q", i+1, correction, want)
		}
	}
}

func TestFinal_Endings(t *testing.T) {
	for name, tt := range map[string]struct {
		attempts int
		edit     func(*Config)
		list     []reply
		reason   string
		err      string
		output   string
	}{
		"given up":           {2, nil, []reply{says("no"), says("no"), says("never")}, "output_invalid", "3 times; the last: the whole value: got no JSON but \"never\" at line 1, column 1", "never"},
		"no other attempt":   {0, nil, []reply{says(`{"n":1.5}`)}, "output_invalid", "once; the last: /n: got the number 1.5, want a whole number", `{"n":1.5}`},
		"empty":              {0, nil, []reply{says("")}, "output_invalid", "got nothing", ""},
		"out of steps":       {2, func(c *Config) { c.Limits.Steps = 1 }, []reply{says("no")}, "max_steps", "giving answers that --output-schema does not accept after --max-steps 1", "no"},
		"cut":                {2, nil, []reply{replies(chat.Reply{Text: `{"n":1}`, FinishReason: "length"})}, "budget_exceeded", "cut at its output limit", `{"n":1}`},
		"after a call":       {0, nil, []reply{calls("echo", `{"text":"x"}`), says(`{"n":1}`)}, "ok", "", `{"n":1}`},
		"calls do not count": {1, nil, []reply{says("no"), calls("echo", `{"text":"x"}`), says(`{"n":1}`)}, "ok", "", `{"n":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			res, k := tryFinal(t, model(tt.list...), tt.attempts, tt.edit)
			if res.ExitReason != tt.reason || res.OK != (tt.reason == "ok") || !strings.Contains(res.Error, tt.err) || res.FinalOutput != tt.output {
				t.Errorf("Run = %+v, want %s, %q and the output %q", res, tt.reason, tt.err, tt.output)
			}
			if k.outcome == nil || k.outcome.ExitReason != tt.reason {
				t.Errorf("the record has %+v, want %s", k.outcome, tt.reason)
			}
		})
	}
}

// What the schema accepts is the answer, also when it reads like a call; what it
// does not is a call as ever.
func TestFinal_AnswerIsNoCall(t *testing.T) {
	const likeACall = `{"tool":"echo","arguments":{"text":"x"},"n":1}`
	for name, tt := range map[string]struct {
		text  string
		calls int
	}{
		"the answer": {likeACall, 0}, "fenced": {"```json\n" + likeACall + "\n```", 0},
		"a call": {`{"tool":"echo","arguments":{"text":"x"}}`, 1}, "with words": {"I call " + likeACall, 1},
	} {
		res, k := tryFinal(t, model(says(tt.text), says(`{"n":2}`)), 0, nil)
		if !res.OK || len(k.calls) != tt.calls {
			t.Errorf("%s: %d calls, %+v, want %d", name, len(k.calls), res, tt.calls)
		}
	}
}

func TestFinal_SchemaGoesWithTheRequestOnlyWhenAsked(t *testing.T) {
	for _, byAPI := range []bool{false, true} {
		var sent []byte
		m := model(func(_ context.Context, req chat.Request) (chat.Reply, error) {
			sent = req.Answer
			return chat.Reply{Text: `{"n":1}`, FinishReason: "stop"}, nil
		})
		tryFinal(t, m, 0, func(c *Config) { c.Final.ByAPI = byAPI })
		if want := final(t, 0).Schema.Text(); byAPI != (string(sent) == want) || !byAPI && sent != nil {
			t.Errorf("by the API %t: the request has the schema %q", byAPI, sent)
		}
	}
}

// What is wrong with an answer quotes it, and nobody but the model is shown a secret.
func TestFinal_ShowsNoSecret(t *testing.T) {
	var log bytes.Buffer
	// The second time it is cut where a value is shown.
	long := strings.Repeat("x", 68) + "sk-test-abcdef"
	res, k := tryFinal(t, model(says(`{"n":"sk-test-abcdef"}`), says(`{"n":"`+long+`"}`)), 1, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	if !strings.Contains(log.String(), "/n: got the string") || res.ExitReason != "output_invalid" {
		t.Fatalf("Run = %+v, and the log says %s, want what is wrong", res, log.String())
	}
	for what, text := range map[string]string{"the log": log.String(), "the result": res.Error + res.FinalOutput, "the last event": written(k.end())} {
		if strings.Contains(text, "sk-test-a") {
			t.Errorf("%s has the secret: %s", what, text)
		}
	}
}
