package doctor

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/github"
)

// maxSkew is the difference between the clocks up to which GitHub accepts signed requests.
const maxSkew = 30 * time.Second

// Clock compares the clock of this machine with GitHub's. GitHub's time is from an answer to a
// request. It lies between asked and answered, if the clocks agree.
func Clock(asked, answered, theirs time.Time) Finding {
	const what = "clock"
	skew := max(asked.Sub(theirs), 0) // ahead
	if skew == 0 {
		skew = min(answered.Sub(theirs), 0) // behind
	}
	skew = skew.Round(time.Second)
	switch {
	case theirs.IsZero():
		return warning(what, "GitHub sent no time",
			"Check the time of this machine: GitHub refuses requests that are signed with a wrong time.")
	case skew > maxSkew || skew < -maxSkew:
		return bad(what, fmt.Sprintf("it differs from GitHub's by %s", skew),
			"Set it by NTP: GitHub refuses requests that are signed with a wrong time.")
	}
	return good(what, "agrees with GitHub's")
}

// App checks the settings of the App on GitHub.
func App(s *github.Standing) []Finding {
	out := []Finding{good("App", fmt.Sprintf("GitHub knows it as %s (%s)", s.Name, s.Page))}
	out = append(out, permissions("permissions", s.Permissions,
		"Add them on the App's settings page, under Permissions. GitHub then asks the owners of installations to agree."))
	missing := slices.DeleteFunc(github.Subscriptions(), func(e string) bool { return slices.Contains(s.Events, e) })
	if len(missing) > 0 {
		out = append(out, bad("events", "it does not receive "+strings.Join(missing, ", "),
			"Subscribe to them on the App's settings page, under Permissions and events."))
	} else {
		out = append(out, good("events", "all that odfix needs"))
	}
	return append(out, hook(s.Hook))
}

// permissions compares granted permissions with those that odfix needs.
func permissions(what string, granted map[string]string, fix string) Finding {
	var missing []string
	grade := Warning
	for _, n := range github.Needs() {
		if n.Suffices(granted[n.Name]) {
			continue
		}
		missing = append(missing, fmt.Sprintf("%s: %s (%s)", n.Title, n.Level, n.Why))
		if slices.Contains([]string{"checks", "actions", "contents"}, n.Name) {
			grade = Bad // without these, odfix cannot investigate or answer
		}
	}
	if len(missing) > 0 {
		return Finding{what, grade, "not granted: " + strings.Join(missing, "; "), fix}
	}
	return good(what, "all that odfix needs")
}

func hook(h github.HookSettings) Finding {
	const what = "webhook"
	u, err := url.Parse(h.URL)
	switch {
	case h.URL == "" || err != nil:
		return bad(what, "GitHub has no address to send webhooks to", "Set https://HOST/webhook on the App's settings page.")
	case !h.Secret:
		return bad(what, "deliveries are not signed, so odfix refuses them",
			"Set a webhook secret on the App's settings page, and pass it to odfix.")
	case !h.JSON:
		return bad(what, "GitHub sends deliveries as a form, which odfix refuses",
			"Set the content type to application/json on the App's settings page.")
	case u.Path != "/webhook" && !strings.HasSuffix(u.Path, "/webhook"):
		return warning(what, "GitHub sends to "+h.URL+"; odfix listens at /webhook",
			"Change the address, unless a proxy before odfix rewrites it.")
	case u.Scheme != "https" || h.Insecure:
		return warning(what, "GitHub sends to "+h.URL+" without verified TLS", "Use https, and turn SSL verification on.")
	}
	return good(what, "GitHub sends signed JSON to "+h.URL)
}

// Deliveries checks the results of the last webhooks. The list begins with the newest.
func Deliveries(list []github.DeliveryTry) Finding {
	const what = "deliveries"
	var refused, failed, accepted int
	for _, d := range list {
		switch {
		case d.Status == 401:
			refused++
		case d.Status < 200 || d.Status >= 500 || d.Status == 404:
			failed++
		default:
			accepted++
		}
	}
	newest := github.DeliveryTry{}
	if len(list) > 0 {
		newest = list[0]
	}
	detail := fmt.Sprintf("of the last %d, %d arrived", len(list), accepted)
	switch {
	case len(list) == 0:
		return warning(what, "GitHub has sent none in the last three days",
			"Install the App on a repository, or see the App's settings page, under Advanced.")
	case newest.Status == 401:
		return bad(what, fmt.Sprintf("%s; odfix refused %d for their signature, also the newest", detail, refused),
			"GitHub and odfix have different webhook secrets: set the same one.")
	case newest.Status < 200 || newest.Status >= 500 || newest.Status == 404:
		return bad(what, fmt.Sprintf("%s; the newest did not (%s)", detail, newest.Text),
			"Start odfix, and check that GitHub reaches it. At its start, odfix requests missed deliveries again.")
	case refused+failed > 0:
		return good(what, detail+"; odfix requests the others again at its start and every quarter of an hour")
	}
	return good(what, detail)
}

// Installations checks the installations of the App.
func Installations(list []github.InstallationInfo) []Finding {
	if len(list) == 0 {
		return []Finding{warning("installations", "there are none", "Install the App from its page.")}
	}
	var out []Finding
	for _, i := range list {
		what := "installation on " + i.Account
		if i.Suspended {
			out = append(out, warning(what, "it is suspended",
				"Its owner can end the suspension in the account's settings, under Applications."))
			continue
		}
		out = append(out, permissions(what, i.Permissions,
			"Its owner must agree to the App's permissions in the settings of "+i.Account+", under Applications."))
	}
	return out
}
