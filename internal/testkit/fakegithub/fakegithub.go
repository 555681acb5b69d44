// Package fakegithub imitates GitHub's API for pull request comments, and the gh
// program, in tests.
package fakegithub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Comment is a comment on a pull request. One of a review has the path and the line,
// nil when the line is outdated, and may answer another one.
type Comment struct {
	ID      int64  `json:"id"`
	Body    string `json:"body"`
	URL     string `json:"html_url"`
	User    User   `json:"user"`
	Path    string `json:"path,omitempty"`
	Line    *int   `json:"line,omitempty"`
	Answers int64  `json:"in_reply_to_id,omitempty"`
}

// File is a changed file of a pull request.
type File struct {
	Name     string `json:"filename"`
	Previous string `json:"previous_filename,omitempty"`
	Patch    string `json:"patch,omitempty"`
	// Lines are those of the new file that a comment may be on.
	Lines []int `json:"-"`
}

// User is who wrote a comment.
type User struct {
	Login string `json:"login"`
}

// Server imitates the API about one repository. Whoever asks it with a token writes
// as Login.
type Server struct {
	Repository, Login string
	// Heads are the head commits of the pull requests by number.
	Heads map[int]string
	// Files are the changed files of the pull requests by number.
	Files map[int][]File

	mu       sync.Mutex
	fail     int // the number of the request that fails, 0 for none
	comments map[int][]*Comment
	reviewed map[int][]*Comment // comments of reviews
	last     int64              // id of a comment
	log      []string
}

// Add writes a comment as somebody.
func (s *Server) Add(pull int, login, body string) *Comment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(pull, login, body)
}

func (s *Server) add(pull int, login, body string) *Comment {
	if s.comments == nil {
		s.comments = map[int][]*Comment{}
	}
	s.last++
	id := s.last
	c := &Comment{ID: id, Body: body, User: User{login}, URL: fmt.Sprintf("https://github.test/%s/pull/%d#issuecomment-%d", s.Repository, pull, id)}
	s.comments[pull] = append(s.comments[pull], c)
	return c
}

// AddReviewed writes a comment of a review, as c says.
func (s *Server) AddReviewed(pull int, c Comment) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reviewed == nil {
		s.reviewed = map[int][]*Comment{}
	}
	s.last++
	c.ID = s.last
	s.reviewed[pull] = append(s.reviewed[pull], &c)
	return c.ID
}

// Comments returns those on a pull request.
func (s *Server) Comments(pull int) []Comment { return s.copied(s.comments, pull) }

// Reviewed returns the comments of reviews on a pull request.
func (s *Server) Reviewed(pull int) []Comment { return s.copied(s.reviewed, pull) }

func (s *Server) copied(of map[int][]*Comment, pull int) (list []Comment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range of[pull] {
		list = append(list, *c)
	}
	return list
}

// FailAt has a request, numbered from 1, be done and its answer a failure nonetheless.
func (s *Server) FailAt(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = number
}

// Log returns the requests so far, method and path.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.log...)
}

var paths = regexp.MustCompile(`^/repos/([^/]+/[^/]+)/(?:pulls/(\d+)(/[a-z]+)?|issues/(\d+)/comments|(issues|pulls)/comments/(\d+))$`)

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r.Method+" "+r.URL.Path)
	if s.fail == len(s.log) {
		defer answer(w, http.StatusBadGateway, map[string]string{"message": "Server Error"})
		w = httptest.NewRecorder()
	}
	m := paths.FindStringSubmatch(r.URL.Path)
	if r.Header.Get("Authorization") == "" {
		answer(w, http.StatusUnauthorized, map[string]string{"message": "Requires authentication"})
		return
	}
	if m == nil || m[1] != s.Repository {
		answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
		return
	}
	pull, _ := strconv.Atoi(m[2] + m[4])
	head, found := s.Heads[pull]
	var sent struct {
		Body     string
		Event    string
		Commit   string `json:"commit_id"`
		Comments []Comment
	}
	if (r.Method == http.MethodPost || r.Method == http.MethodPatch) && json.NewDecoder(r.Body).Decode(&sent) != nil {
		answer(w, http.StatusBadRequest, map[string]string{"message": "Problems parsing JSON"})
		return
	}
	of := s.comments
	if m[5] == "pulls" || m[2] != "" {
		of = s.reviewed
	}
	switch {
	case m[6] != "":
		s.change(w, of, r.Method, m[6], sent.Body)
	case !found:
		answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
	case m[3] == "/files":
		page(w, r, s.Files[pull])
	case m[3] == "/reviews":
		s.review(w, pull, sent.Comments, sent.Event == "COMMENT" && sent.Body != "" && sent.Commit == head)
	case m[3] == "/comments":
		page(w, r, of[pull])
	case m[2] != "":
		answer(w, http.StatusOK, map[string]any{"number": pull, "head": map[string]string{"sha": head}})
	case r.Method == http.MethodPost && len(sent.Body) > 65536:
		answer(w, http.StatusUnprocessableEntity, map[string]string{"message": "body is too long"})
	case r.Method == http.MethodPost:
		answer(w, http.StatusCreated, s.add(pull, s.Login, sent.Body))
	default:
		page(w, r, of[pull])
	}
}

// review adds the comments of a review, unless one of them is not on a line of the
// change.
func (s *Server) review(w http.ResponseWriter, pull int, comments []Comment, ok bool) {
	for _, c := range comments {
		ok = ok && c.Line != nil && len(c.Body) <= 65536 && slices.ContainsFunc(s.Files[pull], func(f File) bool { return f.Name == c.Path && slices.Contains(f.Lines, *c.Line) })
	}
	if !ok {
		answer(w, http.StatusUnprocessableEntity, map[string]string{"message": "Unprocessable Entity"})
		return
	}
	if s.reviewed == nil {
		s.reviewed = map[int][]*Comment{}
	}
	for _, c := range comments {
		s.last++
		s.reviewed[pull] = append(s.reviewed[pull], &Comment{ID: s.last, Body: c.Body, User: User{s.Login}, Path: c.Path, Line: c.Line})
	}
	answer(w, http.StatusOK, map[string]int{"id": 1})
}

// change edits or deletes a comment, which only who wrote it may do.
func (s *Server) change(w http.ResponseWriter, of map[int][]*Comment, method, id, body string) {
	for pull, list := range of {
		for i, c := range list {
			if fmt.Sprint(c.ID) != id {
				continue
			}
			if c.User.Login != s.Login {
				answer(w, http.StatusForbidden, map[string]string{"message": "Must have admin rights to Repository."})
				return
			}
			if method == http.MethodDelete {
				of[pull] = slices.Delete(list, i, i+1)
				w.WriteHeader(http.StatusNoContent)
				return
			}
			c.Body = body
			answer(w, http.StatusOK, c)
			return
		}
	}
	answer(w, http.StatusNotFound, map[string]string{"message": "Not Found"})
}

// page answers with a page of a list.
func page[T any](w http.ResponseWriter, r *http.Request, all []T) {
	each, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	from := min(max(number-1, 0)*each, len(all))
	answer(w, http.StatusOK, append([]T{}, all[from:min(from+each, len(all))]...))
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // whoever asked may be gone
}

// Address is the variable that says to Gh where the imitation is.
const Address = "TEST_GITHUB"

// Gh does what gh does with the words of gh api, as far as they are used here, and
// returns its exit status.
func Gh(args []string, getenv func(string) string, in io.Reader, out, errs io.Writer) int {
	fail := func(format string, a ...any) int {
		fmt.Fprintf(errs, "gh: "+format+"\n", a...)
		return 1
	}
	method, path, body, token := http.MethodGet, "", io.Reader(nil), getenv("GH_TOKEN")
	for i := 1; i < len(args); i++ {
		switch {
		case args[i] == "--method":
			i++
			method = args[i]
		case args[i] == "--input":
			i++
			body = in
		case strings.HasPrefix(args[i], "--"):
			i++
		default:
			path = args[i]
		}
	}
	if len(args) == 0 || args[0] != "api" || path == "" {
		return fail("unknown command %q", args)
	}
	if token == "" {
		return fail("set the GH_TOKEN environment variable")
	}
	req, err := http.NewRequest(method, getenv(Address)+"/"+path, body)
	if err != nil {
		return fail("%v", err)
	}
	req.Header.Set("Authorization", "token "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fail("%v", err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(out, res.Body); err != nil {
		return fail("%v", err)
	}
	if res.StatusCode >= 300 {
		return fail("HTTP %d", res.StatusCode)
	}
	return 0
}
