package terminal

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Write receives the runner's log, for Verbose. A line of JSON becomes a line of text, like those of
// the events. Any other line stays.
func (p *Progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.part = append(p.part, b...)
	for {
		line, rest, ended := bytes.Cut(p.part, []byte("\n"))
		if !ended {
			return len(b), nil
		}
		text, ok := logLine(line)
		switch {
		case !ok:
			p.print(harmless(string(line)))
		case text != "":
			p.print(p.elapsed() + " " + harmless(text))
		}
		p.part = append(p.part[:0], rest...)
	}
}

// logLine returns "MESSAGE KEY=VALUE…" for a line of the structured log. The text is empty for a line
// that repeats an event.
func logLine(line []byte) (text string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", false
	}
	var message, values strings.Builder
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			return "", false
		}
		var s string
		if json.Unmarshal(value, &s) != nil || strings.ContainsAny(s, " \n\t") {
			s = string(value)
		}
		switch key {
		case "ts":
		case "level":
			if s != "debug" && s != "info" {
				message.WriteString(s + ": ")
			}
		case "msg":
			_ = json.Unmarshal(value, &s)
			message.WriteString(s)
		default:
			values.WriteString(" " + key.(string) + "=" + s)
		}
	}
	if message.String() == "progress" {
		return "", true
	}
	return message.String() + values.String(), true
}
