package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openagent-ci/openagent/internal/tool"
)

func TestListFiles_SortedAndNotFollowed(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"b.txt", "a/x", "a/y/z", "a-b", "a0", ".git/config", ".hidden"} {
		b.put("ws/"+name, name)
	}
	b.link("../outside", "out")
	b.link("a", "in")
	b.put("outside/secret", "")
	for _, test := range []struct {
		args m
		want string
	}{
		{m{}, ".git/ .hidden a/ a-b a0 b.txt in(symlink) out(symlink)"},
		{m{"recursive": "TRUE"}, ".git/ .hidden a/ a-b a/x a/y/ a/y/z a0 b.txt in(symlink) out(symlink)"},
		{m{"path": "a"}, "a/x a/y/"},
		{m{"path": "a/y/z"}, "a/y/z"},
		{m{"path": "in"}, "a/x a/y/"},
	} {
		list, text := want[fileList](b, "list_files", test.args)
		got := strings.ReplaceAll(strings.ReplaceAll(text, " (", "("), "\n", " ")
		if got != test.want {
			t.Errorf("list_files(%v) = %s, want %s", test.args, got, test.want)
		}
		if list.Truncated || list.Total != int64(len(list.Entries)) {
			t.Errorf("list_files(%v): total %d, truncated %v, want %d entries whole", test.args, list.Total, list.Truncated, len(list.Entries))
		}
		paths := make([]string, len(list.Entries))
		for i, e := range list.Entries {
			paths[i] = e.Path
		}
		if !slices.IsSorted(paths) {
			t.Errorf("list_files(%v) = %v, want paths sorted", test.args, paths)
		}
	}
}

func TestListFiles_BoundAndTotal(t *testing.T) {
	b := newBench(t)
	for i := range 30 {
		b.put(fmt.Sprintf("ws/f%02d", i), "12345")
	}
	list, text := want[fileList](b, "list_files", m{"max_entries": 3})
	size := int64(5)
	wantList := fileList{Path: ".", Truncated: true, Total: 30, Entries: []entry{
		{Path: "f00", Type: entryFile, Bytes: &size}, {Path: "f01", Type: entryFile, Bytes: &size}, {Path: "f02", Type: entryFile, Bytes: &size},
	}}
	if diff := cmp.Diff(wantList, list); diff != "" {
		t.Errorf("list_files(max_entries 3) (-want +got):\n%s", diff)
	}
	if !strings.Contains(text, "27 of 30 entries omitted") {
		t.Errorf("list_files(max_entries 3) = %q, want the cut told", text)
	}
}

func TestListFiles_MissingAndCancelled(t *testing.T) {
	b := newBench(t)
	b.put("ws/a", "")
	b.refused(tool.KindNotFound, "list_files", m{"path": "none"})
	b.refused(tool.KindNotFound, "list_files", m{"path": "a/none"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, total, err := b.w.list(ctx, ".", listArgs{MaxEntries: 10}); !errors.Is(err, context.Canceled) || total != 0 {
		t.Errorf("list() after the end = %v, %d entries, want %v", err, total, context.Canceled)
	}
}

func TestListFiles_WhatIsGoneMeanwhile(t *testing.T) {
	b := newBench(t)
	for _, name := range []string{"d/file", "d/folder/x", "d/link/x", "outside"} {
		b.put("ws/"+name, "")
	}
	b.remove("d/folder")
	b.remove("d/link")
	b.link("..", "d/link")
	for _, name := range []string{"d/folder", "d/link"} {
		err := b.w.walk(context.Background(), name, func(at string, _ fs.DirEntry) bool {
			t.Errorf("walk(%s) that is gone comes to %s, want nothing", name, at)
			return true
		})
		if !isGone(err) {
			t.Errorf("walk(%s) that is gone = %v", name, err)
		}
	}
}

// A walk does not hold more and more folders open.
func TestListFiles_DeepTree(t *testing.T) {
	b := newBench(t)
	deep := strings.Repeat("d/", 84)
	b.put("ws/"+deep+"file", "12345")
	list, _ := want[fileList](b, "list_files", m{"recursive": true})
	last := list.Entries[len(list.Entries)-1]
	if list.Total != 85 || last.Path != deep+"file" || last.Bytes == nil || *last.Bytes != 5 {
		t.Errorf("list_files = %d entries, the last %+v, want the file of 5 bytes at the bottom", list.Total, last)
	}
}

func TestFiles_TimeForOneTool(t *testing.T) {
	b := newBench(t, func(o *Options) { o.ToolTimeout = time.Nanosecond })
	b.put("ws/a", "x")
	b.refused(tool.KindTooLarge, "list_files", m{"recursive": true})
	text := b.refused(tool.KindTooLarge, "read_file", m{"path": "a"})
	if !strings.HasPrefix(text, `Error (too_large): to read "a" took longer than a tool may`) {
		t.Errorf("receipt = %q, want that it took too long", text)
	}
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if err := fileError("read", "a", ended); err.Kind != tool.KindCancelled {
			t.Errorf("fileError(%v) = %+v, want kind %s", ended, err, tool.KindCancelled)
		}
	}
}

func TestReadFile_Windows(t *testing.T) {
	b := newBench(t)
	b.put("ws/f", "one\ntwo\nthree\nfour")
	for _, test := range []struct {
		args m
		want string
		next int64
	}{
		{m{"path": "f"}, "one\ntwo\nthree\nfour", 0},
		{m{"path": "f", "offset_line": 2, "max_lines": 1}, "two\n", 3},
		{m{"path": "f", "offset_line": "3"}, "three\nfour", 0},
		{m{"path": "f", "offset_line": 0, "max_lines": 3}, "one\ntwo\nthree\n", 4},
		{m{"path": "f", "offset_line": 4, "max_lines": 1}, "four", 0},
		{m{"path": "f", "offset_line": -1}, "four", 0},
		{m{"path": "f", "offset_line": -2, "max_lines": 1}, "three\n", 4},
		{m{"path": "f", "offset_line": -99, "max_lines": 1}, "one\n", 2},
		{m{"path": "f", "offset_line": int64(-1 << 63), "max_lines": 4}, "one\ntwo\nthree\nfour", 0},
		{m{"path": "f", "offset_line": 5}, "", 0},
		{m{"path": "f", "max_lines": -3}, "one\n", 2},
	} {
		got, _ := want[filePreview](b, "read_file", test.args)
		next := int64(0)
		if got.NextOffsetLine != nil {
			next = *got.NextOffsetLine
		}
		if got.ContentPreview != test.want || next != test.next || got.Truncated != (test.next != 0) {
			t.Errorf("read_file(%v) = %q, next %d, truncated %v, want %q, next %d", test.args, got.ContentPreview, next, got.Truncated, test.want, test.next)
		}
		if got.Lines != 4 || got.Bytes != 18 {
			t.Errorf("read_file(%v) counts %d lines, %d bytes, want 4, 18", test.args, got.Lines, got.Bytes)
		}
	}
}

// A file comes as it is, whatever its lines end with.
func TestReadFile_LineEndsAreKept(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{"one\r\ntwo\r\n", "one\rtwo", "\n", "\r\n", "no end"} {
		b.put("ws/f", text)
		if _, got := want[filePreview](b, "read_file", m{"path": "f"}); got != text {
			t.Errorf("read_file(%q) = %q, want it as it is", text, got)
		}
	}
}

func TestReadFile_SlicesOfALongFileMakeTheWhole(t *testing.T) {
	b := newBench(t)
	var text strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&text, "line %d with an ä\n", i)
	}
	b.put("ws/long", text.String())
	var got strings.Builder
	next := int64(1)
	for range 50 {
		part, shown := want[filePreview](b, "read_file", m{"path": "long", "offset_line": next})
		if len(shown) > 32<<10 {
			t.Fatalf("read_file(offset_line %d) shows %d bytes, want at most 32 KiB", next, len(shown))
		}
		got.WriteString(part.ContentPreview)
		if part.NextOffsetLine == nil {
			break
		}
		next = *part.NextOffsetLine
	}
	if got.String() != text.String() {
		t.Errorf("the slices make %d bytes, want the %d of the file", got.Len(), text.Len())
	}
}

func TestReadFile_BinaryEmptyAndInvalid(t *testing.T) {
	b := newBench(t)
	b.put("ws/bin", "a\x00b")
	b.put("ws/empty", "")
	b.put("ws/latin", "gr\xfc\xdfe\n")
	latin, _ := want[filePreview](b, "read_file", m{"path": "latin"})
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte("gr\xfc\xdfe\n"))); latin.SHA256 == nil || *latin.SHA256 != sum {
		t.Errorf("read_file(latin).sha256 = %v, want the digest of its bytes %s", latin.SHA256, sum)
	}
	bin, text := want[filePreview](b, "read_file", m{"path": "bin"})
	if !bin.Binary || bin.ContentPreview != "" || !strings.HasPrefix(text, "(binary file, 3 bytes, sha256 ") {
		t.Errorf("read_file(bin) = %+v %q, want binary without content", bin, text)
	}
	empty, text := want[filePreview](b, "read_file", m{"path": "empty"})
	if empty.Lines != 0 || empty.Binary || text != "(empty file)" {
		t.Errorf("read_file(empty) = %+v %q, want no lines", empty, text)
	}
	if empty.SHA256 == nil || *empty.SHA256 != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("read_file(empty).sha256 = %v, want the digest of nothing", empty.SHA256)
	}
	if _, text := want[filePreview](b, "read_file", m{"path": "latin"}); text != "gr\ufffd\ufffde\n" {
		t.Errorf("read_file(latin) = %q, want valid text", text)
	}
}

func TestReadFile_NotRegular(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/x", "")
	if text := b.refused(tool.KindNotRegularFile, "read_file", m{"path": "d"}); !strings.Contains(text, `"d" is a folder`) || !strings.Contains(text, "list_files") {
		t.Errorf("receipt = %q, want the way out", text)
	}
	b.refused(tool.KindNotFound, "read_file", m{"path": "none"})
	b.refused(tool.KindNotFound, "read_file", m{"path": "d/x/y"})
	b.refused(tool.KindNotFound, "read_file", m{"path": "artifact:none"})
	b.refused(tool.KindNotFound, "read_file", m{"path": "artifact:../run.json"})
}

func TestReadFile_ThroughALinkInside(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/x", "x\n")
	b.link("d", "dl")
	b.link("dl/../d/x", "xl")
	for _, path := range []string{"dl/x", "xl"} {
		if got, _ := want[filePreview](b, "read_file", m{"path": path}); got.ContentPreview != "x\n" || got.Path != "d/x" {
			t.Errorf("read_file(%s) = %q of %s, want the target", path, got.ContentPreview, got.Path)
		}
	}
}

func TestReadFile_LargeFileHasNoDigest(t *testing.T) {
	b := newBench(t)
	b.put("ws/big", "x\n")
	if err := os.Truncate(filepath.Join(b.root, "big"), maxDigest+1); err != nil {
		t.Fatal(err)
	}
	b.put("ws/limit", "x\n")
	if err := os.Truncate(filepath.Join(b.root, "limit"), maxDigest); err != nil {
		t.Fatal(err)
	}
	if got, _ := want[filePreview](b, "read_file", m{"path": "big"}); got.SHA256 != nil || got.Bytes != maxDigest+1 {
		t.Errorf("read_file(big) = %+v, want its size and no digest", got)
	}
	if got, _ := want[filePreview](b, "read_file", m{"path": "limit"}); got.SHA256 == nil {
		t.Error("read_file(limit) has no digest, want one of a file of 64 MiB")
	}
}

func TestWriteFile_CreatesParentsAndReplaces(t *testing.T) {
	b := newBench(t)
	got, text := want[fileWritten](b, "write_file", m{"path": "a/b/c.txt", "content": "hello"})
	sum := "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	if diff := cmp.Diff(fileWritten{Path: "a/b/c.txt", Bytes: 5, Created: true, SHA256: sum}, got); diff != "" {
		t.Errorf("write_file (-want +got):\n%s", diff)
	}
	if text != "Created a/b/c.txt (5 bytes)" {
		t.Errorf("write_file = %q", text)
	}
	got, _ = want[fileWritten](b, "write_file", m{"path": "a/b/c.txt", "content": ""})
	if got.Created || b.get("ws/a/b/c.txt") != "" {
		t.Errorf("write_file = %+v, want the file replaced by an empty one", got)
	}
	if entries, _ := os.ReadDir(filepath.Join(b.root, "a", "b")); len(entries) != 1 {
		t.Errorf("the folder has %v, want no temporary file left", entries)
	}
}

func TestWriteFile_InPlaceOfWhatIsNoFile(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/x", "x")
	b.put("ws/f", "f")
	if text := b.refused(tool.KindNotRegularFile, "write_file", m{"path": "d", "content": "x"}); !strings.Contains(text, `"d" is a folder`) {
		t.Errorf("receipt = %q, want what is there", text)
	}
	b.refused(tool.KindNotRegularFile, "write_file", m{"path": ".", "content": "x"})
	b.refused(tool.KindAlreadyExists, "write_file", m{"path": "f/x", "content": "x"})
	b.refused(tool.KindAlreadyExists, "write_file", m{"path": "f/g/x", "content": "x"})
	if entries, _ := os.ReadDir(b.root); len(entries) != 2 {
		t.Errorf("the workspace has %v, want no temporary file left", entries)
	}
}

func TestWriteFile_NameOfAFolder(t *testing.T) {
	b := newBench(t)
	b.put("ws/old", "x")
	for _, name := range []string{"new/", "new/.", "a/b/..", "old/", "old/."} {
		b.refused(tool.KindNotRegularFile, "write_file", map[string]any{"path": name, "content": "y"})
	}
	if _, err := os.Lstat(filepath.Join(b.root, "new")); err == nil {
		t.Error("write_file to new/ made a file new, want nothing made")
	}
	if got := b.get("ws/old"); got != "x" {
		t.Errorf("old holds %q, want it left alone", got)
	}
}

func TestWriteFile_SummarySaysNewOrReplaced(t *testing.T) {
	b := newBench(t)
	for _, want := range []string{"created f (1 bytes)", "wrote f (1 bytes)"} {
		if res, _ := b.call(context.Background(), "write_file", m{"path": "f", "content": "x"}); res.SummaryText != want {
			t.Errorf("write_file summary = %q, want %q", res.SummaryText, want)
		}
	}
}

func TestWriteFile_FailureLeavesNoTemporaryFile(t *testing.T) {
	b := newBench(t)
	b.put("ws/full/x", "")
	if err := b.w.write("full", "content", 0o644, false); err == nil {
		t.Error("writeAndRename over a folder = no error, want one")
	}
	if entries, _ := os.ReadDir(b.root); len(entries) != 1 {
		t.Errorf("the workspace has %v, want only the folder", entries)
	}
}

func TestWriteFile_ThroughALinkReplacesTheTarget(t *testing.T) {
	b := newBench(t)
	b.put("ws/d/target", "old")
	b.link("d/target", "l")
	b.link("d/new", "dangling")
	want[fileWritten](b, "write_file", m{"path": "l", "content": "new"})
	want[fileWritten](b, "write_file", m{"path": "dangling", "content": "made"})
	if b.get("ws/d/target") != "new" || b.get("ws/d/new") != "made" {
		t.Error("write_file through a link did not write the target")
	}
	for _, name := range []string{"l", "dangling"} {
		if info, _ := os.Lstat(filepath.Join(b.root, name)); info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is %v, want still a link", name, info.Mode())
		}
	}
}

func TestWriteFile_HardLinkKeepsTheOldBytes(t *testing.T) {
	b := newBench(t)
	b.put("outside/shared", "old")
	if err := os.Link(filepath.Join(b.outside, "shared"), filepath.Join(b.root, "hard")); err != nil {
		t.Fatal(err)
	}
	want[fileWritten](b, "write_file", m{"path": "hard", "content": "new"})
	if b.get("outside/shared") != "old" || b.get("ws/hard") != "new" {
		t.Error("write_file changed the other name of a hard link")
	}
}
