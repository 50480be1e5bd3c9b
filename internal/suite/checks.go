package suite

import "strings"

// The names of the checks that prove a patch, as reports and comments on pull requests show them. Those
// that end with a blank are completed by a noun of the language.
const (
	CheckTestCode   = "changes test code only"
	CheckCompiles   = "compiles under the project's own build"
	CheckPasses     = "failing order passes with the patch"
	CheckFails      = "failing order fails without the patch"
	CheckAllPass    = "order that many tests share: each of them passes with the patch"
	CheckAllFail    = "order that many tests share: each of them fails without the patch"
	CheckAlone      = "passes alone with the patch"
	CheckSeen       = "an order that was seen to fail passes with the patch"
	CheckOwnOrder   = "no other test gets worse in the suite's own order"
	CheckChanged    = "no other test gets worse in the " // classes
	changed         = " that the patch changes"
	CheckNeighbours = "passes directly after other tests of its " // class
	CheckRows       = "passes in orders of its whole "            // class
	CheckMinimal    = "no statement can be removed"
	CheckEveryOrder = "every failing order of every fixed test passes"
	CheckNamed      = "is made of the statements it names, and of nothing else"
	CheckProposed   = "has only statements that odfix proposes for its tests here, too"
	CheckProved     = "is made of proved patches only"
	CheckPlain      = "passes in an order without the patch"
)

// CheckOf is the name of a check about tests of a group or of groups.
func CheckOf(name string, n Nouns) string {
	if name == CheckChanged {
		return name + n.Groups + changed
	}
	return name + n.Group
}

// CheckOfSetting is the name of a check as it is said of a setting.
func CheckOfSetting(name string) string { return strings.ReplaceAll(name, "the patch", "the setting") }

// CheckNames are the names of all checks.
func CheckNames(n Nouns) []string {
	all := []string{CheckTestCode, CheckCompiles, CheckPasses, CheckFails, CheckAllPass, CheckAllFail, CheckAlone, CheckSeen, CheckOwnOrder,
		CheckOf(CheckChanged, n), CheckOf(CheckNeighbours, n), CheckOf(CheckRows, n), CheckMinimal, CheckEveryOrder, CheckNamed,
		CheckProposed, CheckProved, CheckPlain}
	for _, name := range all {
		all = append(all, CheckOfSetting(name))
	}
	return all
}
