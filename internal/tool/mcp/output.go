package mcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openagent-ci/openagent/internal/text/clip"
	"github.com/openagent-ci/openagent/internal/text/control"
	"github.com/openagent-ci/openagent/internal/text/jsontext"
	"github.com/openagent-ci/openagent/internal/tool"
	"github.com/openagent-ci/openagent/internal/tool/result"
)

// maxItems bounds the files of one answer.
const maxItems = 32

// output is the answer of a server's tool.
type output struct {
	answer  *sdk.CallToolResult
	call    tool.Call
	results result.Options
	sandbox []string // what the sandbox says
}

// payload is what a result shows of an answer. Files have names for their roles that
// depend on how many there are, so it writes and reads those itself.
type payload struct {
	ContentPreview *string         `json:"content_preview"` // nil for an answer without text
	Bytes          int64           `json:"bytes"`           // of the text
	Truncated      bool            `json:"truncated"`
	Failed         bool            `json:"failed"` // the tool says so
	Items          []item          `json:"items"`
	Artifacts      []tool.Artifact `json:"artifacts"`
	// ContentArtifact is the index in Artifacts of the whole text.
	ContentArtifact *int `json:"content_artifact"`
	// Sandbox says what was put back.
	Sandbox []string `json:"sandbox,omitempty"`
}

// item is a file of an answer. It is saved as the artifact whose index stands under
// item_N_artifact beside Items, N from 1.
type item struct {
	Type     string `json:"type"`
	MIMEType string `json:"mime_type"`
	Bytes    int64  `json:"bytes"`

	artifact *int
}

func (i item) String() string {
	return fmt.Sprintf("%s, %s, %s", i.Type, i.MIMEType, result.Counted(i.Bytes, "byte"))
}

// file is an item with what is in it.
type file struct {
	item
	data []byte
}

// read returns the text of an answer, in which files are named, and the files.
func (o output) read() (text string, files []file) {
	var parts []string
	add := func(kind, mime string, data []byte) {
		if len(files) == maxItems {
			parts = append(parts, fmt.Sprintf("[%s left out: an answer has at most %d files]", kind, maxItems))
			return
		}
		f := file{item{Type: kind, MIMEType: kindOf(mime), Bytes: int64(len(data))}, data}
		files = append(files, f)
		parts = append(parts, fmt.Sprintf("[item %d: %s]", len(files), f))
	}
	for _, content := range o.answer.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			parts = append(parts, clip.UTF8(c.Text))
		case *sdk.ImageContent:
			add("image", c.MIMEType, c.Data)
		case *sdk.AudioContent:
			add("audio", c.MIMEType, c.Data)
		case *sdk.ResourceLink:
			parts = append(parts, "[link to resource "+quoted(c.Name)+": "+control.Printable(clip.UTF8(c.URI))+"]")
		case *sdk.EmbeddedResource:
			if c.Resource == nil {
				continue
			}
			parts = append(parts, "[resource "+control.Printable(clip.UTF8(c.Resource.URI))+"]")
			if c.Resource.Blob != nil {
				add("resource", c.Resource.MIMEType, c.Resource.Blob)
			} else {
				parts = append(parts, clip.UTF8(c.Resource.Text))
			}
		default:
			parts = append(parts, "[content of a kind that is not shown]")
		}
	}
	if len(o.answer.Content) == 0 && o.answer.StructuredContent != nil {
		if raw, err := jsontext.Marshal(o.answer.StructuredContent); err == nil {
			parts = append(parts, string(raw))
		}
	}
	return strings.Join(parts, "\n"), files
}

// kindOf returns a media type as it may be shown and named.
func kindOf(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	mime, cut := clip.Chars(control.Printable(clip.UTF8(strings.TrimSpace(mime))), 60)
	if mime == "" || cut {
		return "application/octet-stream"
	}
	return mime
}

// endings are those of the files for media types; others end in .bin.
var endings = map[string]string{
	"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg",
	"audio/wav": "wav", "audio/mpeg": "mp3", "audio/ogg": "ogg", "application/pdf": "pdf", "application/json": "json",
	"application/zip": "zip", "text/plain": "txt", "text/html": "html", "text/csv": "csv",
}

// Summary says how much came, or what the tool complains of.
func (o output) Summary() string {
	text, files := o.read()
	if o.answer.IsError {
		return "the tool failed: " + strings.TrimSpace(text)
	}
	summary := "the tool answered with " + result.Counted(int64(len(text)), "byte") + " of text"
	if len(files) > 0 {
		summary += " and " + result.Counted(int64(len(files)), "file")
	}
	return summary
}

// Project bounds the text, and saves the files.
func (o output) Project() payload {
	text, files := o.read()
	whole := result.NewCapture(o.call, "content", o.results)
	_, _ = whole.Write([]byte(text)) // it never fails
	preview := whole.Stream().Preview(o.results.CommandBudget())
	p := payload{
		ContentPreview: preview.Text, Bytes: int64(len(text)), Truncated: preview.Cut, Failed: o.answer.IsError,
		Items: []item{}, Artifacts: []tool.Artifact{}, Sandbox: o.sandbox,
	}
	p.ContentArtifact = preview.Refer(&p.Artifacts)
	for i, f := range files {
		if saved := o.results.Artifacts.Save(o.call, fmt.Sprintf("item%d.%s", i+1, cmp.Or(endings[f.MIMEType], "bin")), f.data); saved != nil {
			f.artifact = new(len(p.Artifacts))
			p.Artifacts = append(p.Artifacts, *saved)
		}
		p.Items = append(p.Items, f.item)
	}
	return p
}

// plain is a payload without its methods.
type plain payload

// role is the member that says where item i is, i from 0.
func role(i int) string { return fmt.Sprintf("item_%d_artifact", i+1) }

// MarshalJSON writes the roles of the items beside them.
func (p payload) MarshalJSON() ([]byte, error) {
	raw, err := jsontext.Marshal(plain(p))
	if err != nil {
		return nil, err
	}
	raw = raw[:len(raw)-1]
	for i, it := range p.Items {
		if it.artifact != nil {
			raw = fmt.Appendf(raw, ",%q:%d", role(i), *it.artifact)
		}
	}
	return append(raw, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *payload) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for i := range p.Items {
		if at, ok := all[role(i)]; ok {
			if err := json.Unmarshal(at, &p.Items[i].artifact); err != nil {
				return err
			}
		}
	}
	return nil
}

// Text is the text of the answer, and where its files and the rest of it are.
func (p payload) Text() string {
	text := "(an answer without content)"
	if p.ContentPreview != nil && *p.ContentPreview != "" {
		text = strings.TrimSuffix(*p.ContentPreview, "\n")
	}
	return strings.TrimSuffix(text+"\n"+p.rest(), "\n")
}

// rest says what the sandbox did, and where files are.
func (p payload) rest() string {
	sandbox := strings.Join(p.Sandbox, "\n")
	return result.Section("Sandbox", &sandbox) + result.References(p.Artifacts, func(at int) string {
		if p.ContentArtifact != nil && *p.ContentArtifact == at {
			return result.SizeNote(p.Bytes)
		}
		for i, it := range p.Items {
			if it.artifact != nil && *it.artifact == at {
				return fmt.Sprintf(" (item %d: %s)", i+1, it)
			}
		}
		return ""
	})
}

// Failure returns the kind of error that a failed tool is.
func (p payload) Failure() tool.ErrorKind {
	if p.Failed {
		return tool.KindServerTool
	}
	return ""
}

// FailureText shows what the tool said of its failure.
func (p payload) FailureText() string { return p.Text() }
