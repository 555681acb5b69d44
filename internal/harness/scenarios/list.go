package scenarios

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/openagent-ci/openagent/internal/text/jsontext"
)

// listVersion names the form of the JSON about scripts that were only listed.
const listVersion = "openagent.test_list.v1"

// WriteList prints the scripts of a plan, their ids for people.
func (p *Plan) WriteList(w io.Writer, asJSON bool) error {
	if asJSON {
		return p.writeListJSON(w)
	}
	for _, s := range p.Scripts {
		if _, err := fmt.Fprintln(w, shown(s.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plan) writeListJSON(w io.Writer) error {
	type script struct {
		ID    string  `json:"id"`
		File  string  `json:"file"`
		Agent *string `json:"agent"`
		MS    *int64  `json:"ms"` // as it was known
	}
	list := make([]script, len(p.Scripts))
	for i, s := range p.Scripts {
		list[i] = script{ID: s.ID, File: escaped(s.File)}
		if s.Agent != "" {
			list[i].Agent = &s.Agent
		}
		if ms, ok := p.Times[s.ID]; ok {
			list[i].MS = &ms
		}
	}
	return jsontext.WriteIndented(w, map[string]any{"version": listVersion, "scripts": list})
}

// Matrix returns what a plan shared out among total parts is to a matrix of GitHub Actions,
// with only the parts that have something to do, and whether there are any.
func (p *Plan) Matrix(total int) (matrix []byte, work bool, err error) {
	type job struct {
		Shard  string `json:"shard"`
		Number int    `json:"number"` // for names that no slash can be in
		MS     *int64 `json:"est_ms"`
	}
	jobs := []job{}
	for _, s := range p.Split(total) {
		if len(s.IDs) > 0 {
			jobs = append(jobs, job{s.String(), s.I, s.Estimate})
		}
	}
	matrix, err = json.Marshal(map[string]any{"include": jobs})
	return matrix, len(jobs) > 0, err
}
