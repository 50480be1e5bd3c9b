package doctor

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/github"
)

// maxSkew is how far our clock may be from GitHub's: a request signed for later
// than that is refused, and so is one that has expired.
const maxSkew = 30 * time.Second

// Clock compares ours with GitHub's.
func Clock(ours, theirs time.Time) Finding {
	const what = "clock"
	skew := ours.Sub(theirs).Round(time.Second)
	switch {
	case theirs.IsZero():
		return warning(what, "GitHub did not say what time it is", "Look whether the time is right: what is signed with a wrong one is refused.")
	case skew > maxSkew || skew < -maxSkew:
		return bad(what, fmt.Sprintf("it is %s off from GitHub's", skew), "Let NTP set it: GitHub refuses what is signed for another time.")
	}
	return good(what, "agrees with GitHub's")
}

// App judges what GitHub knows of the App.
func App(s *github.Standing) []Finding {
	out := []Finding{good("App", fmt.Sprintf("GitHub knows it as %s (%s)", s.Name, s.Page))}
	out = append(out, permissions("permissions", s.Permissions, "Grant them on the App's settings page, under Permissions; owners of installations are then asked to agree."))
	var missing []string
	for _, e := range github.Subscriptions() {
		if !slices.Contains(s.Events, e) {
			missing = append(missing, e)
		}
	}
	if len(missing) > 0 {
		out = append(out, bad("events", "it does not receive "+strings.Join(missing, ", "), "Subscribe to them on the App's settings page, under Permissions and events."))
	} else {
		out = append(out, good("events", "all that it needs"))
	}
	return append(out, hook(s.Hook))
}

// permissions compares what is granted with what is needed.
func permissions(what string, granted map[string]string, mend string) Finding {
	var missing []string
	grade := Warning
	for _, n := range github.Needs() {
		if n.Suffices(granted[n.Name]) {
			continue
		}
		missing = append(missing, fmt.Sprintf("%s: %s (%s)", n.Title, n.Level, n.Why))
		if slices.Contains([]string{"checks", "actions", "contents"}, n.Name) {
			grade = Bad // without these nothing is ever found out, or said
		}
	}
	if len(missing) > 0 {
		return Finding{what, grade, "not granted: " + strings.Join(missing, "; "), mend}
	}
	return good(what, "all that it needs")
}

func hook(h github.HookSettings) Finding {
	const what = "webhook"
	u, err := url.Parse(h.URL)
	switch {
	case h.URL == "" || err != nil:
		return bad(what, "GitHub has no address to send webhooks to", "Give it https://HOST/webhook on the App's settings page.")
	case !h.Secret:
		return bad(what, "deliveries are not signed, so that odfix refuses them", "Set a webhook secret on the App's settings page, and give it to odfix.")
	case !h.JSON:
		return bad(what, "deliveries come as a form, which odfix refuses", "Set the content type to application/json on the App's settings page.")
	case u.Path != "/webhook" && !strings.HasSuffix(u.Path, "/webhook"):
		return warning(what, "GitHub sends to "+h.URL+"; odfix listens at /webhook", "Change the address, unless what stands before odfix rewrites it.")
	case u.Scheme != "https" || h.Insecure:
		return warning(what, "GitHub sends to "+h.URL+" without verified TLS", "Use https, and turn SSL verification on.")
	}
	return good(what, "GitHub sends signed JSON to "+h.URL)
}

// Deliveries judges how the last webhooks fared, the newest first.
func Deliveries(list []github.DeliveryTry) Finding {
	const what = "deliveries"
	var refused, unanswered, taken int
	for _, d := range list {
		switch {
		case d.Status == 401:
			refused++
		case d.Status < 200 || d.Status >= 500 || d.Status == 404:
			unanswered++
		default:
			taken++
		}
	}
	newest := github.DeliveryTry{}
	if len(list) > 0 {
		newest = list[0]
	}
	says := fmt.Sprintf("of the last %d, %d arrived", len(list), taken)
	switch {
	case len(list) == 0:
		return warning(what, "GitHub has sent none in the last three days", "Install the App on a repository, or look at the App's settings page, under Advanced.")
	case newest.Status == 401:
		return bad(what, fmt.Sprintf("%s; %d were refused for their signature, the newest among them", says, refused), "GitHub signs with another secret than odfix was given: set the same on both sides.")
	case newest.Status < 200 || newest.Status >= 500 || newest.Status == 404:
		return bad(what, fmt.Sprintf("%s; the newest did not (%s)", says, newest.Text), "Start odfix, and see that GitHub reaches it from outside. Missed deliveries are asked for again at the start.")
	case refused+unanswered > 0:
		return good(what, says+"; those that did not are asked for again at the start and every quarter of an hour")
	}
	return good(what, says)
}

// Installations judges where the App is installed.
func Installations(list []github.InstallationInfo) []Finding {
	if len(list) == 0 {
		return []Finding{warning("installations", "it is installed nowhere", "Install it from the App's page.")}
	}
	var out []Finding
	for _, i := range list {
		what := "installation on " + i.Account
		if i.Suspended {
			out = append(out, warning(what, "it is suspended", "Its owner can lift that, in the account's settings under Applications."))
			continue
		}
		out = append(out, permissions(what, i.Permissions, "Its owner has to agree to the App's permissions: "+i.Account+"'s settings, Applications."))
	}
	return out
}
