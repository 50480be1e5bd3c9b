package patch

import "strings"

// Undo returns the texts before a change of files that now have the texts that read returns. The text
// of a file that does not exist is empty. Files that are not wanted are left out, and so are new files,
// binary ones, those whose change is not in the diff, those that cannot be read, and those that do not
// have the text that the diff says.
//
// lost are wanted files of these last two kinds.
func Undo(diff string, wanted func(path string) bool, read func(path string) (string, error)) (out map[string]string, lost []string) {
	out = map[string]string{}
	for _, text := range sections(diff) {
		found, err := section(text)
		if err != nil {
			continue
		}
		for _, s := range found {
			if s.Kind == Makes || !wanted(s.Path) {
				continue
			}
			before, err := read(s.Path)
			if err == nil {
				before, err = s.File.reversed().Apply(before)
			}
			if err != nil {
				lost = append(lost, s.Path)
				continue
			}
			out[s.Path] = before
		}
	}
	return out, lost
}

// OfFile returns the part of a diff for one file. hunks are its hunks, as GitHub lists them for a file of
// a pull request; kind is what was done to the file.
func OfFile(path, hunks string, kind Kind) string {
	before, after, mode := "a/"+path, "b/"+path, ""
	switch kind {
	case Makes:
		before, mode = devNull, "new file mode 100644\n"
	case Removes:
		after, mode = devNull, "deleted file mode 100644\n"
	}
	return "diff --git " + quote("a/"+path) + " " + quote("b/"+path) + "\n" + mode +
		"--- " + side(before) + "\n+++ " + side(after) + "\n" + strings.TrimSuffix(hunks, "\n") + "\n"
}

// side is the name of one side in a header.
func side(name string) string {
	if name == devNull {
		return name
	}
	quoted := quote(name)
	return quoted + tab(quoted)
}
