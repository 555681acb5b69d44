package redact

import (
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	for entry, want := range map[string][]string{
		"GITHUB_TOKEN=ghs-test-0123456789":                         {"ghs-test-0123456789"},
		"npm_token=npm-test-0123456789":                            {"npm-test-0123456789"},
		"TOKEN_2=test-0123456789":                                  {"test-0123456789"},
		"DB_PASSWORD= eight888 ":                                   {"eight888"},
		"AWS_SECRET_ACCESS_KEY=/test+test/0123456789":              {"/test+test/0123456789"},
		"GOOGLE_CREDENTIALS={\"type\": \"x\"}":                     {"{\"type\": \"x\"}"},
		"DATABASE_SECRET=postgres://u:test-pw@db.test/x":           {"postgres://u:test-pw@db.test/x"},
		"SHORT_TOKEN=seven77":                                      nil,
		"MAX_TOKENS=100000000":                                     nil,
		"TOKENIZER=words-and-more":                                 nil,
		"SECRETARY=nobody-at-all":                                  nil,
		"AWS_WEB_IDENTITY_TOKEN_FILE=/var/run/test/token":          nil,
		`X_TOKEN_FILE=C:\Users\test\token`:                         nil,
		"ACTIONS_ID_TOKEN_REQUEST_URL=https://test.test/id?a=b":    nil,
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN=eyJ-test-0":                {"eyJ-test-0"},
		"CACHE_KEY=Linux-build":                                    nil,
		"CACHE_KEY=linux-build-of-everything":                      nil,
		"TEST_APIKEY=sk-test-0123456789":                           {"sk-test-0123456789"},
		"TEST_APIKEY=sk-test-0123456":                              nil,
		"SSH_KEY_PATH=./keys/Deploy-Key-2":                         nil,
		"KEY_SERVER=https://Keys.test:8080/a":                      nil,
		"OTEL_EXPORTER_OTLP_HEADERS=a=test%2F12345,b=Basic test-9": {"test%2F12345", "test/12345", "test/12345", "Basic test-9", "Basic test-9", "test-9"},
		"OTEL_SERVICE_NAME=anything-at-all":                        nil,
		"NOTHING":                                                  nil,
	} {
		if got := Environment([]string{entry}); !slices.Equal(got, want) {
			t.Errorf("Environment(%s) = %q, want %q", entry, got, want)
		}
	}
}
