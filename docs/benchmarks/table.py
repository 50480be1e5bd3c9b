#!/usr/bin/env python3
"""A line for each failing test of reports of odfix fix, as tab-separated values.

    table.py NAME=REPORT.json ...

Questions are those asked for this test alone; what many share stands in the last line of a
report, with the seconds of the whole job. Lines are those that the patch adds. A test of which
nothing was asked alone was shown by orders that it shares with others (cohorts in the report).
"""
import json, sys

print('\t'.join(['module', 'test', 'verdict', 'cause', 'state', 'patch', 'place', 'files', 'lines', 'statements', 'proved', 'questions']))
for arg in sys.argv[1:]:
    name, _, path = arg.partition('=')
    with open(path) as f:
        report = json.load(f)
    best = {}  # the first patch proved for each test, wherever in the report it stands
    for t in report['tests']:
        for patch in t.get('patches', []):
            for cured in patch['cures'] if patch['proof']['proved'] else []:
                best.setdefault(cured, patch)
    own = 0
    for t in report['tests']:
        n = sum(t['cost'].get('questions', {}).values())
        own += n
        cause = (t.get('polluters') or t.get('stateSetters') or [[]])[0]
        patch = best.get(t['test']) or (t.get('patches') or [None])[0]
        row = [name, t['test'], t['verdict'], ' and then '.join(cause) or '–', ', '.join(t.get('state', [])[:3]) or '–']
        if patch:
            lines = sum(l.startswith('+') and not l.startswith('+++') for l in patch['diff'].splitlines())
            row += [patch['kind'], patch['place'], len(patch['files']), lines, ' '.join(patch['statements']), 'yes' if patch['proof']['proved'] else 'no']
        else:
            row += ['–'] * 6
        print('\t'.join(str(x).replace('\n', ' ') for x in row + [n]))
    cost = report['cost']
    total = sum(cost.get('questions', {}).values())
    phases = ', '.join(f'{k} {v:.1f}' for k, v in sorted(cost['seconds'].items()))
    print(f"# {name}: {len(report['tests'])} tests, {total} questions, {total - own} of them shared, {cost['total']:.1f} s ({phases})")
