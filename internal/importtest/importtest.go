// Package importtest holds the rules of who may import whom, as a test.
// The table in it is the one in docs/architecture.md; changing one means
// changing the other, on purpose and with a reason in the commit.
package importtest
