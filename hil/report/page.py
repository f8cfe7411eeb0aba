"""An acceptance record as one HTML file: everything in it, plots and wiring too, nothing fetched from elsewhere.

Rules:
* The page is a pure function of the signed record, which it carries whole. So whoever has the page can verify it: the
  record's signature is checked, the page is drawn anew and must be the same to the byte. What is seen was signed.
* No script. Readable in print without colours.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from html import escape

from firmware.settings.load import decode
from firmware.settings.problems import ConfigurationError
from hil import distribution
from hil.measure import Measurement, Outcome
from hil.report.record import BadRecord, Record, Signed, from_json, to_json
from hil.report.text import made, sections, signature, verdict
from hil.wiring.picture import picture
from hil.wiring.plan import plan_of

MARKS = {Outcome.PASS: "✓ pass", Outcome.WARN: "! warn", Outcome.FAIL: "✗ FAIL", Outcome.NOT_KNOWN: "? not known"}
CARRIED = re.compile(r'<script type="application/x-tabled-record;base64">([A-Za-z0-9+/=]*)</script>')
CSS = """
body { font: 14px/1.45 "DejaVu Sans", Verdana, Arial, sans-serif; color: #111; background: #fff; margin: 2em auto;
       max-width: 62em; padding: 0 1em; }
h1 { font-size: 1.5em; border-bottom: 3px solid #7a1f2b; padding-bottom: .2em; }
h2 { font-size: 1.1em; margin: 1.6em 0 .4em; border-bottom: 1px solid #999; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2em .6em .2em 0; border-bottom: 1px solid #ddd;
         overflow-wrap: anywhere; }
.measured th, .measured td:nth-child(-n+3), .measured td:last-child { white-space: nowrap; overflow-wrap: normal; }
th { font-weight: normal; color: #444; }
thead th { font-weight: bold; color: #111; border-bottom: 2px solid #999; }
.names th { width: 12em; }
.bad td { background: #fbe3e3; font-weight: bold; }
.unknown td { color: #555; }
.verdict { font-size: 1.15em; font-weight: bold; border: 2px solid #111; padding: .4em .8em; }
.simulated { font-weight: bold; border: 2px dashed #111; padding: .3em .8em; }
code, pre { font: 12px/1.35 "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; border: 1px solid #ddd; padding: .6em; }
img { max-width: 100%; border: 1px solid #ddd; }
.signing td { height: 2.6em; border-bottom: 1px solid #111; width: 33%; vertical-align: bottom; color: #444; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } tr, img { break-inside: avoid; } }
"""


def page(of: Signed) -> str:
    """The whole file. Raises `BadRecord`."""
    return "\n".join((*_page(of, of.read()), ""))


def carried(text: str) -> Signed:
    """The signed record in a page. Raises `BadRecord`."""
    found = CARRIED.findall(text)
    if len(found) != 1:
        raise BadRecord("no acceptance record: the page carries none")
    try:
        return from_json(base64.b64decode(found[0], validate=True))
    except ValueError as error:
        raise BadRecord(f"the record in the page is damaged: {error}") from error


def _page(of: Signed, record: Record) -> Iterator[str]:
    title = escape(f"Acceptance record of table {record.table}")
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
    yield f"<style>{CSS}</style>\n</head>\n<body>\n<h1>{title}</h1>"
    yield f"<p>{escape(record.game)}, {escape(record.profile)}; {escape(made(record))}</p>"
    if record.profile == "simulated":
        yield '<p class="simulated">SIMULATED TABLE: proves nothing of a real one</p>'
    yield f'<p class="verdict">{escape(verdict(record))}</p>'
    yield f"<p><code>{escape(signature(of))}</code></p>"
    yield f"<h2>Measurements</h2>\n<p>{escape(record.how)}</p>"
    yield from _measurements(record)
    if record.lamp_times_ns:
        drawn = distribution.svg(record.lamp_times_ns, "From a chip's edge to its lamp")
        yield f"<h2>From a chip's edge to its lamp</h2>\n<p>{record.debounce_ms} ms of it are debounce.</p>"
        yield _image(drawn, "distribution of the times from a chip's edge to its lamp")
    for name, rows in sections(record):
        yield f"<h2>{escape(name.capitalize())}</h2>"
        yield from _names(rows)
    yield "<h2>Wiring</h2>"
    yield _wiring(record)
    yield f"<h2>Configuration, whole</h2>\n<pre>{escape(record.configuration)}</pre>"
    yield '<h2>Signatures</h2>\n<table class="signing"><tr><td>technician</td><td>casino</td><td>date</td></tr></table>'
    whole = base64.b64encode(to_json(of)).decode()
    yield f'<script type="application/x-tabled-record;base64">{whole}</script>\n</body>\n</html>'


def _measurements(record: Record) -> Iterator[str]:
    head = ("", "of", "measurement", "value", "wanted", "code")
    yield f'<table class="measured">\n<thead><tr>{"".join(f"<th>{name}</th>" for name in head)}</tr></thead>'
    wrong = record.wrong
    for one in record.measurements:
        kind = "bad" if one in wrong else "unknown" if one.outcome is Outcome.NOT_KNOWN else ""
        cells = (_mark(one, record), one.of, one.name, f"{one.value} {one.unit}".strip(), one.limits, one.code)
        yield f'<tr class="{kind}">{"".join(f"<td>{escape(cell)}</td>" for cell in cells)}</tr>'
    yield "</table>"


def _mark(one: Measurement, record: Record) -> str:
    taken = one.outcome in (Outcome.WARN, Outcome.FAIL) and one.code in record.accepted
    return "taken as it is" if taken else MARKS[one.outcome]


def _names(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield '<table class="names">'
    yield from (f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
    yield "</table>"


def _wiring(record: Record) -> str:
    """As `hil wiring` draws it, from the configuration in the record."""
    try:
        plan = plan_of(decode(record.configuration, record.configuration_path))
    except ConfigurationError as error:
        return f"<pre>{escape(error.report())}</pre>"
    return _image(picture(plan), "what goes where")


def _image(svg: str, what: str) -> str:
    """In the page, and apart from its styles."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<p><img alt="{escape(what)}" src="data:image/svg+xml;base64,{data}"></p>'
