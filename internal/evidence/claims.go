package evidence

import "errors"

// HasManifest reports whether the folder dir has a manifest of evidence, also one of
// another version.
func HasManifest(dir string) bool {
	s, err := Read(dir)
	if err == nil {
		err = s.Close()
	}
	return err == nil || errors.Is(err, ErrVersion)
}
