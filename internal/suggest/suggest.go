// Package suggest turns a change of text into what people apply on GitHub: a
// suggestion on lines that a pull request shows, or a patch to paste into a shell.
//
// Invariants: suggestions that are accepted together give the very text that is
// wanted; where that cannot be, an error says why. A pasted command gives the
// very bytes of its patch.
package suggest
