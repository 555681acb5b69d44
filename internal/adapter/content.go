package adapter

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/openagent-ci/openagent/schema"
)

// shown returns what a result shows to the model, and whether it shows anything: its
// text, or its parts, of which those that are no text are named with their size.
func shown(content value) (all string, ok bool) {
	if content.Is('"') {
		return content.Text(), true
	}
	before := true // the part before is a text
	for item := range content.Items() {
		part := item.Object()
		text, plain := partText(part)
		if !plain {
			text = named(part)
		}
		if all != "" && !(before && plain) && !strings.HasSuffix(all, "\n") {
			all += "\n"
		}
		all, ok, before = all+text, true, plain
	}
	return all, ok
}

// partText returns the text of a part of a result, and whether it is one.
func partText(part object) (text string, plain bool) {
	v := part.Get("text")
	switch part.Str("type") {
	case "resource":
		v = part.At("resource", "text")
	case "document":
		if v = nil; part.At("source", "type").Text() == "text" {
			v = part.At("source", "data")
		}
	case "image", "audio":
		v = nil
	}
	return v.Text(), v.Is('"')
}

// named returns what stands for a part that is no text, such as an image.
func named(part object) string {
	source, resource := part.Object("source"), part.Object("resource")
	words := cmp.Or(part.Str("type"), "part")
	where := cmp.Or(part.Str("url"), part.Str("uri"), source.Str("url"), resource.Str("uri"))
	var data []byte
	for _, v := range []value{source.Get("data"), part.Get("data"), resource.Get("blob")} {
		data = append(data, v.Text()...)
	}
	media := cmp.Or(source.Str("media_type"), part.Str("mimeType"), part.Str("mime"), resource.Str("mimeType"))
	if head, rest, found := strings.Cut(where, ";base64,"); found {
		where, data, media = "", []byte(rest), cmp.Or(media, strings.TrimPrefix(head, "data:"))
	}
	for _, word := range []string{media, where} {
		if word != "" {
			words += " " + word
		}
	}
	if len(data) > 0 {
		words += fmt.Sprintf(", %d bytes", len(bytes.TrimRight(data, "="))*3/4)
	}
	return "[" + words + "]"
}

// structured shows the structured content of a result that has no text.
func structured(r *schema.ToolExecFinished, result object) {
	if r.ContentPreview != nil && *r.ContentPreview != "" {
		return
	}
	for _, name := range []string{"structured_content", "structuredContent"} {
		if v := result.Get(name); !v.IsNull() {
			r.ContentPreview = new(string(bytes.TrimSpace(v)))
			return
		}
	}
}
