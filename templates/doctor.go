package templates

import "fmt"

// Finding is one line of `odfix doctor`. Grade is good, warning or bad.
type Finding struct{ What, Grade, Detail, Fix string }

// FindingPart is a part of the answer, such as that about the machine.
type FindingPart struct {
	Title    string
	Findings []Finding
}

// Doctor is the answer to `odfix doctor`.
func Doctor(parts []FindingPart, o Options) string {
	view := struct {
		Parts   []FindingPart
		Summary string
	}{Summary: "Nothing is wrong."}
	count := map[string]int{}
	for _, p := range parts {
		part := FindingPart{Title: p.Title}
		for _, f := range p.Findings {
			count[f.Grade]++
			part.Findings = append(part.Findings, Finding{Harmless(f.What, false), f.Grade, Harmless(f.Detail, false), Harmless(f.Fix, false)})
		}
		view.Parts = append(view.Parts, part)
	}
	switch bad, warnings := count["bad"], count["warning"]; {
	case bad > 0 && warnings > 0:
		view.Summary = fmt.Sprintf("%d to be fixed before it works, %d to look at.", bad, warnings)
	case bad > 0:
		view.Summary = fmt.Sprintf("%d to be fixed before it works.", bad)
	case warnings > 0:
		view.Summary = fmt.Sprintf("It works; %d to look at.", warnings)
	}
	return render("doctor.txt.tmpl", view, o)
}
