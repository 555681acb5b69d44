package provider_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openagent-ci/openagent/internal/model/provider"
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// refuses is an endpoint that answers all with an error status.
func refuses(status int, body string) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	})
}

// begun is how an answer begins over each API.
var begun = map[provider.API]string{
	provider.APIChat:      `{"choices":[{"delta":{"content":"half"}}]}`,
	provider.APIResponses: `{"type":"response.output_text.delta","delta":"half"}`,
}

// An error is read alike beside a status and within an answer that began well.
func TestComplete_ErrorsOfAnyShape(t *testing.T) {
	eachAPI(t, func(t *testing.T, api provider.API) {
		for shape, words := range map[string]string{
			`{"error":{"message":"it died"}}`:                          "it died",
			`{"error":"it died"}`:                                      "it died",
			`{"error":["it died"]}`:                                    "it died",
			`[{"error":{"message":"it died","status":"UNAVAILABLE"}}]`: "it died (UNAVAILABLE)",
			`{"error":true,"message":"it died"}`:                       "it died",
			`{"errors":[{"message":"it died"},{"message":"later"}]}`:   "it died",
			`{"errors":{"model":["it died"]}}`:                         `{"errors":{"model":["it died"]}}`,
			`{"object":"error","message":"it died","type":"InternalServerError","param":null,"code":12}`: "it died (InternalServerError)",
			`{"message":"it died","code":"dead"}`:                                                        "it died (dead)",
			`{"detail":"it died"}`:                                                                       "it died",
			`{"detail":[{"msg":"it died"}]}`:                                                             `{"detail":[{"msg":"it died"}]}`,
			`{"error_code":336,"error_msg":"it died"}`:                                                   "it died",
			`{"code":1234,"msg":"it died"}`:                                                              "it died",
			`{"type":"error","error":{"type":"overloaded_error","message":"it died"}}`:                   "it died (overloaded_error)",
		} {
			_, err := attempt(t, api, refuses(http.StatusTeapot, shape))
			if f := failureOf(t, err); !strings.HasSuffix(f.Message, "teapot: "+words) {
				t.Errorf("status 418 with %s: message is %q, want %q at its end", shape, f.Message, words)
			}
			for _, before := range []string{"", "data: " + begun[api] + "\n\n"} {
				_, err := attempt(t, api, answers(before+"data: "+shape+"\n\n"))
				f := failureOf(t, err)
				if f.Kind == chat.FailIncomplete || f.Kind == chat.FailParse || !strings.HasSuffix(f.Message, ": "+words) {
					t.Errorf("%q and then %s: failure is %+v, want one that ends in %q", before, shape, f, words)
				}
			}
		}
	})
}

// What an endpoint sends to fill the time is no error.
func TestComplete_EventsThatAreNoErrors(t *testing.T) {
	end := map[provider.API]string{
		provider.APIChat:      `{"choices":[{"delta":{},"finish_reason":"stop"}]}`,
		provider.APIResponses: `{"type":"response.completed","response":{"status":"completed","error":null,"output":[]}}`,
	}
	eachAPI(t, func(t *testing.T, api provider.API) {
		for _, event := range []string{
			"{}", "null", `{"type":"ping"}`, `{"error":null}`, `{"error":false}`, `{"errors":null}`, `{"errors":[]}`, `{"detail":null}`, `{"message":null}`,
			`{"message":{"role":"assistant","content":"x"}}`, `{"object":"chat.completion.chunk","usage":{"total_tokens":3}}`,
		} {
			got, err := attempt(t, api, answers("data: "+begun[api]+"\n\ndata: "+event+"\n\ndata: "+end[api]+"\n\n"))
			if err != nil || got.Text != "half" {
				t.Errorf("%s: reply is %+v, %v, want the text", event, got, err)
			}
		}
	})
}

func TestComplete_RefusalInMarkup(t *testing.T) {
	for body, words := range map[string]string{
		"<?xml version=\"1.0\"?>\n<Error>\n <Code>AccessDenied</Code>\n <Message>not\n today &amp; here</Message></Error>": ": AccessDenied not today & here",
		"<Error><Message>cut of":                        ": cut of",
		"<!DOCTYPE html><html><title>no</title></html>": "",
		"<!doctype html><p>no":                          "",
		"<HTML><body>no":                                "",
		"<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"x\"><html>no</html>":     "",
		"<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\">no": "",
		"<": "",
	} {
		_, err := attempt(t, provider.APIChat, refuses(http.StatusBadRequest, body))
		if f := failureOf(t, err); f.Message != "bad request"+words {
			t.Errorf("%s: message is %q, want %q", body, f.Message, "bad request"+words)
		}
	}
}
