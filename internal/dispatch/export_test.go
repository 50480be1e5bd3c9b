package dispatch

// FindFrom is find, with a say in which program is running.
var FindFrom = find
