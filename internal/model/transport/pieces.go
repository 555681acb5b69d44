package transport

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v4"
)

// pieceSize is how much of a long script is read at a time: the nodes of a text take
// some twenty times its room.
const pieceSize = 8 << 10

// inPieces reads a long list of turns a few at a time. It reports false for whatever
// it is not sure to read as the whole would be read, errors too.
func inPieces(data []byte) (turns []turn, ok bool) {
	if firstPiece(data) == len(data) {
		return nil, false
	}
	for _, mark := range []string{"\n---", "\n...", "\n%"} { // of documents
		if bytes.Contains(data, []byte(mark)) {
			return nil, false
		}
	}
	turns = make([]turn, 0, 1+bytes.Count(data, []byte(nextTurn)))
	for line := 0; len(data) > 0; {
		piece := data[:firstPiece(data)]
		root, err := parse(piece)
		if err != nil || root.Column != 1 || root.Kind != yaml.SequenceNode {
			return nil, false
		}
		for _, item := range root.Content {
			item.Line += line // no error is printed, so those below it keep theirs
			turns = append(turns, turn{})
			if decodeTurn(item, len(turns), &turns[len(turns)-1]) != nil {
				return nil, false
			}
		}
		line += bytes.Count(piece, []byte("\n"))
		data = data[len(piece):]
	}
	return slices.Clip(turns), true
}

// nextTurn is where an item of a list ends and another begins, wherever it is in a
// list that is not indented: in the middle of a text in quotes or of a list in
// brackets, what stands before it is no whole YAML.
const nextTurn = "\n- "

// firstPiece returns the length of the first items of a list.
func firstPiece(data []byte) int {
	if len(data) > pieceSize {
		if i := bytes.Index(data[pieceSize:], []byte(nextTurn)); i >= 0 {
			return pieceSize + i + 1
		}
	}
	return len(data)
}
