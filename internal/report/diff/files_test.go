package diff

import (
	"strings"
	"testing"
)

// Other files are named, those of tools of other agents and of MCP servers too; a
// call that failed wrote none.
func TestCompare_Files(t *testing.T) {
	for call, want := range map[string]string{
		`write_file {"path":"f"}`:                                           "+f",
		`write {"filePath":"./f","content":""}`:                             "+f",
		`Write {"file_path":"/w/f"}`:                                        "+/w/f",
		`Edit {"file_path":"d/../f"}`:                                       "+f",
		`MultiEdit {"file_path":"f","edits":[{"old_string":"a`:              "+f",
		`NotebookEdit {"notebook_path":"f"}`:                                "+f",
		`edit {"filePath":"f"}`:                                             "+f",
		`edit {"path":"f","old_str":"a","new_str":"b"}`:                     "+f",
		`create {"path":"f","file_text":""}`:                                "+f",
		`replace {"file_path":"f"}`:                                         "+f",
		`edit_file {"path":"f","edits":[]}`:                                 "+f",
		`mcp__files__edit_file {"path":"f"}`:                                "+f",
		`files.write_file {"path":"f"}`:                                     "+f",
		`files-write_file {"path":"f"}`:                                     "+f",
		`my_files_write_file {"path":"f"}`:                                  "+f",
		`files:Write_File {"path":"f"}`:                                     "+f",
		`my-server/edit {"path":"f"}`:                                       "+f",
		`list_edit {"path":"f"}`:                                            "",
		`rename {"path":"f","new_path":"g"}`:                                "+g +deleted f",
		`server-move {"from":"f","to":"g"}`:                                 "+g +deleted f",
		`mcp__fs__copy_file {"source":"f","destination":"g"}`:               "+g",
		`mcp__fs__remove {"path":"f"}`:                                      "+deleted f",
		`fs_write {"command":"create","path":"f"}`:                          "+f",
		`write_multiple_files {"files":[{"path":"f"},{"path":"g"}]}`:        "+f g",
		`delete_files {"paths":["f","g"]}`:                                  "+deleted f g",
		`rename_file {"path":"d/f","new_name":"g"}`:                         "+d/g +deleted d/f",
		`rename_file {"path":"d/f","new_name":"e/g"}`:                       "+e/g +deleted d/f",
		`edit_file {"path":"f","edits":[],"dryRun":true}`:                   "",
		`edit_file {"path":"f","edits":[],"dry_run":true}`:                  "",
		`edit_file {"path":"f","edits":[],"dryRun":false}`:                  "+f",
		`move_file {"source":"f","destination":"./f"}`:                      "",
		`copy_file {"source":"f","destination":"f"}`:                        "",
		`replace {"path":"f","from":"a","to":"b"}`:                          "+f",
		"apply_patch *** Begin Patch\n*** Update File: f\n*** Move to: f\n": "+f",
		`str_replace_editor {"command":"create","path":"f"}`:                "+f",
		`str_replace_editor {"command":"view","path":"f"}`:                  "",
		`read_file {"path":"f"}`:                                            "",
		`Edit {"file_path":"f"} fail`:                                       "",
		`write_file {"path":"f"} deny`:                                      "",
		`delete_file {"path":"f"} fail`:                                     "",
		`delete_file {"path":"f"}`:                                          "+deleted f",
		`remove_file {"path":"f"}`:                                          "+deleted f",
		`move_file {"source":"f","destination":"g"}`:                        "+g +deleted f",
		`file_change {"changes":[{"path":"f","kind":"add"},{"path":"g","kind":"delete"},{"path":"h","kind":{"type":"delete"}}]}`:                    "+f +deleted g h",
		`apply_patch {"input":"*** Begin Patch\n*** Add File: f\n+x\n*** Delete File: g\n*** Update File: h\n*** Move to: i\n*** End Patch"}`:       "+f i +deleted g h",
		"apply_patch *** Begin Patch\n*** Update File: f\n":                                                                                         "+f",
		`patch {"patch":"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"}`:                                                                                 "+f",
		`patch {"diff":"diff --git a/f b/f\n--- a/f\r\n+++ /dev/null\r\n@@ -1 +0,0 @@\r\n-a\n--- /dev/null\n+++ g\t2026-01-01\n@@ -0,0 +1 @@\n+b"}`: "+g +deleted f",
		`patch {"patch":"@@ -1,2 +1,2 @@\n--- a/f\n+++ b/f\n c\n"}`:                                                                                 "", // lines that were changed
		`write_file {"path":"f","diff":"x"}`:                                                                                                        "+f",
		`patch {"patchText":"*** Add File: f\r\n+x`:                                                                                                 "+f",
		`multi_replace_string_in_file {"replacements":[{"filePath":"f"},{"filePath":"g"}]}`:                                                         "+f g",
	} {
		base, head := usual(), usual()
		head.calls = append(head.calls, call)
		if got := files(Compare(base.run(), head.run()).Files); got != want {
			t.Errorf("files of %s = %q, want %q", call, got, want)
		}
		back := strings.ReplaceAll(want, "+", "-")
		if got := files(Compare(head.run(), base.run()).Files); got != back {
			t.Errorf("files without %s = %q, want %q", call, got, back)
		}
	}
}

// Of what was done to a file the last counts, and it is named once.
func TestCompare_FilesWrittenAndDeleted(t *testing.T) {
	for _, tt := range []struct{ base, head, want string }{
		{`write_file {"path":"f"}, delete_file {"path":"f"}`, `delete_file {"path":"f"}`, ""},
		{`write_file {"path":"f"}`, `delete_file {"path":"f"}`, "+deleted f"},
		{`delete_file {"path":"f"}`, `write_file {"path":"f"}`, "+f"},
		{`delete_file {"path":"f"}, write_file {"path":"f"}`, `write_file {"path":"f"}`, ""},
	} {
		base, head := usual(), usual()
		base.calls, head.calls = strings.Split(tt.base, ", "), strings.Split(tt.head, ", ")
		if got := files(Compare(base.run(), head.run()).Files); got != tt.want {
			t.Errorf("files of %s and then of %s = %q, want %q", tt.base, tt.head, got, tt.want)
		}
	}
}

// files returns the lists that are not empty.
func files(f Files) string {
	var all []string
	for _, l := range []struct {
		name  string
		paths []string
	}{{"+", f.Added}, {"-", f.Removed}, {"+deleted ", f.Deleted}, {"-deleted ", f.NotDeleted}} {
		if len(l.paths) > 0 {
			all = append(all, l.name+strings.Join(l.paths, " "))
		}
	}
	return strings.Join(all, " ")
}
