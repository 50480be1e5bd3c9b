package ci

import (
	"bytes"
	"regexp"
)

type kind int

const (
	kindEmpty kind = iota
	kindXML
	kindJSON // of Jest
	kindOrder
	kindLog
)

// logMark matches lines that occur in a Maven log and not in an order file.
var logMark = regexp.MustCompile(`\[(INFO|ERROR|WARNING|DEBUG)\]|Tests run:|T E S T S|(?m:^Running [\w.$]+\s*$)`)

// kind guesses the kind of a file from its beginning. It reads a file that is neither XML nor
// mostly test ids as a log. The log's reader returns an error if it finds no tests.
func (s *source) kind() kind {
	head, err := s.br.Peek(sniffBytes)
	head = bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(head) == 0:
		return kindEmpty
	case bytes.HasPrefix(head, []byte("<?xml")), bytes.HasPrefix(head, []byte("<testsuite")), bytes.HasPrefix(head, []byte("<!")):
		return kindXML
	case head[0] == '{' && jestJSON.Match(head):
		return kindJSON
	}
	lines := bytes.Split(head, []byte("\n"))
	if err == nil && len(lines) > 1 {
		lines = lines[:len(lines)-1] // the last one may be cut
	}
	ids, others := 0, 0
	for _, l := range lines {
		l, err := parseOrderLine(validUTF8(l))
		switch {
		case err != nil:
			others++
		case l.id != "":
			ids++
		}
	}
	// A mistyped line among ids must be an error. It must not make the file a log.
	if !logMark.Match(head) && ids >= others {
		return kindOrder
	}
	return kindLog
}
