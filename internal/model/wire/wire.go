// Package wire reads requests and writes replies of each HTTP API that agents speak.
package wire

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openagent-ci/openagent/internal/text/lazyregexp"
	"github.com/tidwall/gjson"
)

// Wire is an API. Its functions spell the same reply with the same bytes always.
type Wire struct {
	// Name is what flags and logs call it.
	Name string
	// Path is one at which replies are asked for, as errors show it.
	Path string

	// echo says that a model calls itself what it was asked as.
	echo bool
	// parse reads a request for a reply into r, but for its messages.
	parse func(r *Request, at *url.URL, body []byte) error
	// list is the member that has the messages, alone the byte that one begins with
	// which may stand there without a list, 0 where none may.
	list  string
	alone byte
	// last reads the last message of such a request, with the members that it has in a
	// chat completion request besides its own.
	last func(body []byte) (map[string]any, error)
	// results returns the results of tools in a message, or item of the input, and whether
	// it is a reply. answer reads an event of a reply, or one that is a single value.
	results func(gjson.Result) (found []Made, reply bool)
	answer  func(*Reader, gjson.Result)
	counts  counts
	// stream, array and whole spell a reply as events, as an array of what would be
	// events, and as one value. They refuse one that the API cannot express. Array is
	// nil where no request asks for it.
	stream, array, whole func(Reply) ([]byte, error)
	// Failure returns the body of an answer that is an error, as the endpoint would
	// word it.
	Failure func(Failure) []byte
	// Tokens returns the answer to how many tokens a conversation has, Models a list of
	// one model, Model what that is; nil where the API has no such path.
	Tokens func(count int) []byte
	Models func(name string) []byte
	Model  func(name string) []byte
}

// Failure is an error that an endpoint answers with.
type Failure struct {
	Status  int
	Message string
	// RetryAfter is what the header of that name says, "" for none.
	RetryAfter string
}

// Ask is what a request wants.
type Ask int

// What requests want. Nothing is what no API has.
const (
	Nothing Ask = iota
	Answer      // a reply, whole or streamed as the body says
	Tokens      // how many tokens a conversation has
	Models      // which models there are
	Model       // what one model is, which the path ends with
)

// wires is the table, in the order of lists.
var wires = []*Wire{chatCompletions, responses, anthropic, gemini}

// versions are the segments behind which the paths of Gemini begin. Other APIs have the
// last one too.
const versions = `/(?:v1beta1?|v1alpha|v1)/`

// Headers by which a path that several APIs have is that of one of them.
var (
	ofAnthropic = []string{"Anthropic-Version", "X-Api-Key"}
	ofGoogle    = []string{"X-Goog-Api-Key", "X-Goog-Api-Client"}
)

// routes are the paths of the APIs, whose first group is the base. The first that fits
// counts: those at the end fit paths of others.
var routes = []struct {
	wire    *Wire
	ask     Ask
	path    func() *regexp.Regexp
	headers []string // one of which a request must have, nil for none
}{
	{gemini, Answer, lazyregexp.New(`^(.*)` + versions + `.+/[^/:]*:(?:generateContent|streamGenerateContent)$`), nil},
	{gemini, Answer, lazyregexp.New(`^(.*)/models/[^/:]*:(?:generateContent|streamGenerateContent)$`), nil},
	{gemini, Tokens, lazyregexp.New(`^(.*)` + versions + `.+/[^/:]*:countTokens$`), nil},
	{gemini, Tokens, lazyregexp.New(`^(.*)/models/[^/:]*:countTokens$`), nil},
	{gemini, Models, lazyregexp.New(`^(.*)` + versions + `(?:.*/)?publishers/google/models$`), nil},
	{gemini, Model, lazyregexp.New(`^(.*)` + versions + `(?:.*/)?publishers/google/models/[^/:]+$`), nil},
	{gemini, Models, lazyregexp.New(`^(.*)/(?:v1beta1?|v1alpha)/models$`), nil},
	{gemini, Model, lazyregexp.New(`^(.*)/(?:v1beta1?|v1alpha)/models/[^/:]+$`), nil},
	{gemini, Models, lazyregexp.New(`^(.*)/v1/models$`), ofGoogle},
	{gemini, Model, lazyregexp.New(`^(.*)/v1/models/[^/:]+$`), ofGoogle},
	{anthropic, Answer, lazyregexp.New(`^(.*)/v1/messages$`), nil},
	{anthropic, Tokens, lazyregexp.New(`^(.*)/v1/messages/count_tokens$`), nil},
	{anthropic, Models, lazyregexp.New(`^(.*)/v1/models$`), ofAnthropic},
	{responses, Answer, lazyregexp.New(`^(.*)/responses$`), nil},
	{chatCompletions, Answer, lazyregexp.New(`^(.*)/chat/completions$`), nil},
	{chatCompletions, Models, lazyregexp.New(`^(.*)/models$`), nil},
	{anthropic, Model, lazyregexp.New(`^(.*?)/v1/models/.+$`), ofAnthropic},
	{chatCompletions, Model, lazyregexp.New(`^(.*?/v1)/models/.+$`), nil},
}

// ByName returns the wire of that name, nil for none.
func ByName(name string) *Wire {
	for _, w := range wires {
		if w.Name == name {
			return w
		}
	}
	return nil
}

// Paths returns where replies are asked for, one path for each wire.
func Paths() (paths []string) {
	for _, w := range wires {
		paths = append(paths, w.Path)
	}
	return paths
}

// Find returns the wire that a request with this path and these headers, which may
// be nil, speaks, and what it asks for; base is the path in front of what the wire
// adds. All are zero for a path of none.
func Find(path string, h http.Header) (w *Wire, ask Ask, base string) {
	path = strings.TrimSuffix(path, "/")
	has := func(name string) bool { return h.Get(name) != "" }
	for _, r := range routes {
		if found := r.path().FindStringSubmatch(path); found != nil && (r.headers == nil || slices.ContainsFunc(r.headers, has)) {
			return r.wire, r.ask, found[1]
		}
	}
	return nil, Nothing, ""
}

// Method returns the method of requests that want this.
func (a Ask) Method() string {
	if a == Models || a == Model {
		return http.MethodGet
	}
	return http.MethodPost
}
