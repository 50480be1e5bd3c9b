package build

import (
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/odfix/odfix/internal/harness"
)

// NameOfTestModule returns the name of the module that the test classes form, if they have a
// descriptor of their own. It returns "" if they are patched into the main module or are on the
// class path.
func NameOfTestModule(m harness.Modules, testOutput string) string {
	for _, entry := range m.Path {
		if entry == testOutput {
			data, err := os.ReadFile(filepath.Join(testOutput, "module-info.class"))
			if err != nil {
				return ""
			}
			return moduleName(data)
		}
	}
	return ""
}

// moduleName reads a module's name from its compiled descriptor (JVM Specification, 4.1 and
// 4.7.25). It returns "" for other data.
func moduleName(data []byte) string {
	c := classFile{rest: data}
	if c.u32() != 0xCAFEBABE {
		return ""
	}
	c.skip(4) // version
	pool := c.constants()
	c.skip(6) // access, this, super
	for range 3 {
		if c.u16() != 0 { // a descriptor has no interfaces, fields and methods
			return ""
		}
	}
	for n := c.u16(); n > 0 && !c.short; n-- {
		name, size := c.u16(), c.u32()
		if pool[name].text == "Module" {
			return pool[pool[c.u16()].name].text
		}
		c.skip(int(size))
	}
	return ""
}

// constant is an entry of the constant pool: a text, or a module with the index of its name.
type constant struct {
	text string
	name uint16
}

// classFile is a cursor. short is set after a read beyond the end.
type classFile struct {
	rest  []byte
	short bool
}

func (c *classFile) skip(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.rest, c.short = nil, true
		return make([]byte, 4)
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *classFile) u16() uint16 { return binary.BigEndian.Uint16(c.skip(2)) }
func (c *classFile) u32() uint32 { return binary.BigEndian.Uint32(c.skip(4)) }

// constantSize is how many bytes follow the tag of an entry that is not a text.
var constantSize = map[byte]int{3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 20: 2}

func (c *classFile) constants() map[uint16]constant {
	pool := map[uint16]constant{}
	count := int(c.u16())
	for i := 1; i < count && !c.short; i++ {
		switch tag := c.skip(1)[0]; tag {
		case 1:
			pool[uint16(i)] = constant{text: string(c.skip(int(c.u16())))}
		case 19:
			pool[uint16(i)] = constant{name: c.u16()}
		default:
			size, known := constantSize[tag]
			if !known {
				c.rest, c.short = nil, true
			}
			c.skip(size)
			if tag == 5 || tag == 6 {
				i++ // long and double take two indexes
			}
		}
	}
	return pool
}
