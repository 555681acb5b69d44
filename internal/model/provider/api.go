package provider

import (
	"github.com/openagent-ci/openagent/internal/runlog/chat"
)

// API names one of the two APIs by which an endpoint can be called.
type API string

// The known APIs. Both bring the same replies and the same failures.
const (
	APIChat      API = "chat"      // Chat Completions, at /chat/completions
	APIResponses API = "responses" // Responses, at /responses
)

// dialect holds everything in which the APIs differ.
type dialect struct {
	// reply is the name of an answer in messages.
	reply string
	// members are the JSON members of a request between the model and the
	// messages. The last one opens the list of messages.
	members string
	// message returns a message as one item of the request's list, or as
	// several with commas between.
	message func(*chat.Message) []byte
	// answer is what stands before and behind the JSON Schema of the answer.
	answer [2]string
	// tool returns a tool on offer.
	tool func(chat.ToolSpec) []byte
	// read adds one event to an answer and reports whether it was the last.
	read func(a *answer, event []byte) (done bool, failure *chat.Failure)
	path string // behind the base URL
}

func (a API) dialect() *dialect {
	if a == APIResponses {
		return responsesDialect()
	}
	return chatDialect()
}

func chatDialect() *dialect {
	return &dialect{
		reply:   "chat completion",
		members: `"stream":true,"stream_options":{"include_usage":true},"messages":[`,
		answer:  [2]string{`,"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":`, `}}`},
		message: chatMessage, tool: chatTool, read: readChunk,
		path: "/chat/completions",
	}
}

// responsesDialect keeps nothing at the endpoint: each request holds the whole
// conversation, thoughts too, which are asked for in a form that can be sent.
func responsesDialect() *dialect {
	return &dialect{
		reply:   "response",
		members: `"stream":true,"store":false,"include":["reasoning.encrypted_content"],"input":[`,
		answer:  [2]string{`,"text":{"format":{"type":"json_schema","name":"answer","schema":`, `}}`},
		message: responsesMessage, tool: responsesTool, read: readResponseEvent,
		path: "/responses",
	}
}
