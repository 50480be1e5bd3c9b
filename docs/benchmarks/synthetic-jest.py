#!/usr/bin/env python3
"""Writes a Jest package of FILES files with TESTS tests each into FOLDER, and installs Jest.

Usage: synthetic-jest.py FOLDER FILES TESTS

Each file checks a module of its own. In every hundredth file, the first test leaves a variable of the
module changed, and the last test fails after it. In the order of the file the last test passes,
because the test before it restores the variable.
"""

import json
import pathlib
import subprocess
import sys

folder, files, tests = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
package = {"name": "synthetic", "version": "1.0.0", "private": True, "scripts": {"test": "jest"},
           "devDependencies": {"jest": "29.7.0"}}
(folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
for n in range(files):
    part = folder / "part" / f"{n // 50:03d}"
    part.mkdir(parents=True, exist_ok=True)
    (part / f"stock{n:04d}.js").write_text(
        "let level = 10;\nmodule.exports = {\n  take: (n) => { level -= n; return level; },\n"
        "  level: () => level,\n  refill: () => { level = 10; },\n};\n")
    cases = []
    for t in range(tests):
        body = f"expect({t} + {n}).toBe({t + n});"
        if n % 100 == 50 and t == 0:
            body = "expect(stock.take(3)).toBe(7);"
        elif n % 100 == 50 and t == tests - 2:
            body = "stock.refill();"
        elif n % 100 == 50 and t == tests - 1:
            body = "expect(stock.level()).toBe(10);"
        cases.append(f"  test('case {t}', () => {{ {body} }});\n")
    (part / f"stock{n:04d}.test.js").write_text(
        f"const stock = require('./stock{n:04d}');\n\ndescribe('stock {n}', () => {{\n{''.join(cases)}}});\n")
subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=folder, check=True)
