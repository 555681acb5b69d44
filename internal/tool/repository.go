package tool

// Commit is the payload of git_commit, complete and canonical alike.
type Commit struct {
	Commit string `json:"commit"`
	// Branch is "HEAD" when no branch is checked out.
	Branch string   `json:"branch"`
	Files  []string `json:"files"`
	// Summary is the first line of the message.
	Summary string `json:"summary"`
	// Truncated reports that Files holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

// GitStatus is the payload of git_status, complete and canonical alike.
type GitStatus struct {
	// Branch is "HEAD" when no branch is checked out.
	Branch string `json:"branch"`
	// Upstream is the branch that is followed, nil for none; Ahead and Behind
	// count the commits in which the two differ.
	Upstream *string       `json:"upstream"`
	Ahead    int64         `json:"ahead"`
	Behind   int64         `json:"behind"`
	Clean    bool          `json:"clean"`
	Entries  []StatusEntry `json:"entries"`
	// Truncated reports that Entries holds fewer than Total.
	Truncated bool  `json:"truncated"`
	Total     int64 `json:"total"`
}

// StatusEntry is one path that differs from the last commit.
type StatusEntry struct {
	Path string `json:"path"`
	// OrigPath is the name before a rename or copy.
	OrigPath string `json:"orig_path,omitempty"`
	// Index and Worktree are the letters of git status --short.
	Index    string `json:"index"`
	Worktree string `json:"worktree"`
}

// WorkspaceSummary is the payload of get_workspace_summary, complete and
// canonical alike. The content of .git counts nowhere in it.
type WorkspaceSummary struct {
	// Name is that of the root folder, without the way to it.
	Name string `json:"name"`
	// Files are the regular ones, Bytes their sizes together.
	Files int64 `json:"files"`
	Dirs  int64 `json:"dirs"`
	Bytes int64 `json:"bytes"`
	// Languages are told by the names of files, the one with most bytes first.
	Languages []Language `json:"languages"`
	// KeyFiles are files of the root that say what the project is and how it
	// is built.
	KeyFiles []string `json:"key_files"`
	// Git is nil if the root is no repository.
	Git *GitState `json:"git"`
	// Tree holds the root's entries and theirs, sorted by path.
	Tree []Entry `json:"tree"`
	// Truncated reports that Tree lacks some of them.
	Truncated bool `json:"truncated"`
}

// Language is how much of a tree is written in one.
type Language struct {
	Name  string `json:"name"`
	Files int64  `json:"files"`
	Bytes int64  `json:"bytes"`
}

// GitState is where a repository stands.
type GitState struct {
	// Branch is "HEAD" when no branch is checked out.
	Branch string `json:"branch"`
	Clean  bool   `json:"clean"`
}
