package templates

import "fmt"

// Finding is one line of `odfix doctor`. Grade is good, warning or bad.
type Finding struct{ What, Grade, Detail, Fix string }

// Doctor is the answer to `odfix doctor`.
func Doctor(list []Finding, o Options) string {
	view := struct {
		Findings []Finding
		Summary  string
	}{Summary: "Nothing is wrong."}
	count := map[string]int{}
	for _, f := range list {
		count[f.Grade]++
		view.Findings = append(view.Findings, Finding{Harmless(f.What, false), f.Grade, Harmless(f.Detail, false), Harmless(f.Fix, false)})
	}
	if bad, warnings := count["bad"], count["warning"]; bad > 0 {
		view.Summary = fmt.Sprintf("%d to be fixed before it works, %d to look at.", bad, warnings)
	} else if warnings > 0 {
		view.Summary = fmt.Sprintf("It works; %d to look at.", warnings)
	}
	return render("doctor.txt.tmpl", view, o)
}
