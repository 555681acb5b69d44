package term

// Row is one fact of a run: its name and its value as people read it.
type Row struct{ Name, Value string }
