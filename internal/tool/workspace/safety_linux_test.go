package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that claims 50 GB and holds next to nothing costs no time and no
// memory: nobody waits for zeros.
func TestReadFile_HugeSparseFile(t *testing.T) {
	t.Parallel()
	const size = 2e9 // more than a tool may hold, and read in seconds
	b := newBench(t)
	for name, text := range map[string]string{"text": strings.Repeat("a line\n", 2000), "binary": "\x00"} {
		b.put("ws/"+name, text)
		if err := os.Truncate(filepath.Join(b.root, name), size); err != nil {
			t.Skipf("this file system holds no such file: %v", err)
		}
	}
	got, text := want[filePreview](b, "read_file", m{"path": "text", "max_lines": 2})
	if text[:14] != "a line\na line\n" || got.Bytes != size || got.SHA256 != nil || got.Lines != 2001 {
		t.Errorf("read_file(text) = %q, %d bytes, %d lines, want its first lines", text, got.Bytes, got.Lines)
	}
	if _, text := want[filePreview](b, "read_file", m{"path": "text", "offset_line": -2, "max_lines": 1}); !strings.HasPrefix(text, "a line\n") {
		t.Errorf("read_file(text) from its end = %.40q, want the last line but one", text)
	}
	if got, _ := want[filePreview](b, "read_file", m{"path": "binary"}); !got.Binary || got.Bytes != size {
		t.Errorf("read_file(binary) = %+v, want its size", got)
	}
	if got, _ := want[workspaceSummary](b, "get_workspace_summary", m{}); got.Bytes != 2*size {
		t.Errorf("get_workspace_summary = %d bytes, want those of the two", got.Bytes)
	}
	want[fileWritten](b, "write_file", m{"path": "text", "content": "small"})
	want[fileDeleted](b, "delete_file", m{"path": "binary"})
}
