"""The panel's application: the table's picture, faults, links, lines and the machine, live from the daemon.

Rules:
* It attaches read-only and survives the daemon: while none answers the newest status stays, and the head says so.
* A narrow terminal (80x24 is enough) shows one view at a time, a wide one the picture and the lists side by side.
* A key that acts on the bench says what it did, or why it did nothing. A real table's panel only shows.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Static

from firmware.app.status import TableStatus
from hil import daemon
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.dealer_screen import Stuck
from hil.layout import Spot
from hil.picture import GROUND, TableView
from hil.simclient import SimError
from hil.technician import rows
from hil.technician.hands import Hands, NoHands
from hil.technician.picture import TablePicture
from hil.technician.rows import Mark, Row
from hil.views import status_view
from hil.watch import changes

PICTURE_EVERY_S = 0.1
LISTS_EVERY_S = 0.5
RETRY_S = 1.0
SETTLED_S = 0.7
"""Until everything has its place and its first content, for a saved picture."""
NEWS_KEPT = 40
WIDE_COLUMNS = 140
VIEWS = ("table", "faults", "links", "lines", "machine")
INKS = {
    Mark.GOOD: "#8fd6a0",
    Mark.ACTIVE: "bold #f2d27a",
    Mark.WRONG: "bold #ff7a7a",
    Mark.UNKNOWN: "#c0a0ff",
    Mark.PLAIN: "#8a93a3",
}
DONE, DAEMON_FAILED = 0, 1


class Listing(VerticalScroll):
    """Lines of text under a title; drawn anew where they have changed."""

    def __init__(self, title: str, *, id: str) -> None:
        super().__init__(id=id, classes="listing")
        self.border_title = title
        self._text = Static(id=f"{id}-text")
        self._shown: Sequence[Row] = ()

    def compose(self) -> ComposeResult:
        yield self._text

    def show(self, lines: Iterable[Row]) -> None:
        now = tuple(lines)
        if now != self._shown:
            self._shown = now
            text = Text()
            for row in now:
                mark = f"{row.mark} " if row.mark is not Mark.PLAIN else ""
                text.append(f"{mark}{row.text}\n", INKS[row.mark])
            self._text.update(text)


class Panel(App[int]):
    """`first`: a status to begin with. `hands`: what keys do, or why they do nothing. `svg`: save the first picture
    there and end."""

    TITLE = "hil panel"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE_COLUMNS, "-wide")]  # noqa: RUF012 - as the base class has it
    CSS = f"""
    Screen {{ background: {GROUND}; color: #d0d4dc; }}
    #head {{ height: 1; background: #7a1f2b; color: #ffffff; text-style: bold; }}
    #views {{ height: 1; background: #2a3242; }}
    #table {{ width: 1fr; }}
    .-wide #table {{ width: 100; }}
    #side {{ width: 1fr; }}
    .listing {{ border: round #5a6478; padding: 0 1; scrollbar-size-vertical: 1; height: 1fr; }}
    .listing > Static {{ width: 1fr; height: auto; }}
    .-narrow .hidden {{ display: none; }}
    .-wide #faults {{ height: auto; max-height: 30%; }}
    .-wide #links {{ height: auto; max-height: 45%; }}
    .-wide .unchosen {{ display: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"view('{name}')", name, show=False) for n, name in enumerate(VIEWS, start=1)),
        Binding("left", "move(-1, 0)", show=False, priority=True),
        Binding("right", "move(1, 0)", show=False, priority=True),
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
        Binding("space", "do('chip')", "Chip"),
        Binding("l", "do('lock_out')", "Lock"),
        Binding("c", "do('confirm')", "CONFIRM"),
        Binding("a", "do('call')", "CALL"),
        Binding("x", "do('clear')", "CLEAR"),
        Binding("f", "do('floor_key')", "Floor"),
        Binding("r", "do('reset_key')", "Reset"),
        Binding("d", "do('deal')", "Deal"),
        Binding("q,ctrl+c,ctrl+q", "end", "Quit", key_display="q", priority=True),
    ]

    def __init__(self, socket: Path, first: TableStatus, hands: Hands | NoHands, svg: Path | None = None) -> None:
        super().__init__()
        self._socket = socket
        self._status = first
        self._rated = (first, time.monotonic())
        self._rates: dict[str, str] = {}
        self._hands = hands
        self._svg = svg
        self._away = ""
        self.news: deque[str] = deque(maxlen=NEWS_KEPT)
        self._chosen = "table"
        spots = [Spot(spot.position, spot.wager) for spot in first.spots]
        self._picture = TablePicture(self._view(), spots, id="table")
        self._picture.shows_cursor = isinstance(hands, Hands)
        # Kept, not looked up: a timer may still fire while the screen is being taken down.
        self._head, self._tabs, self._side = Static(id="head"), Static(id="views"), Vertical(id="side")
        self._lists = {
            "faults": Listing("faults", id="faults"),
            "links": Listing("links", id="links"),
            "lines": Listing("lines: level, changes, place, name", id="lines"),
            "machine": Listing("machine", id="machine"),
        }
        self.doing = False

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._tabs
        with Horizontal():
            yield self._picture
            with self._side:
                yield from self._lists.values()
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._choose("table")
        self._show_lists()
        self.run_worker(self._listen(), name="daemon")
        self.set_interval(PICTURE_EVERY_S, self._show_picture)
        self.set_interval(LISTS_EVERY_S, self._show_lists)
        if isinstance(self._hands, NoHands):
            self._tell(str(self._hands))
        if self._svg is not None:
            self.set_timer(SETTLED_S, self._save)

    # --- the daemon ---------------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """The newest status, for as long as the panel is there."""
        while True:
            try:
                async for line in daemon.watch_lines(self._socket):
                    now = daemon.decode(line)
                    self.news.extend(changes(self._status, now))
                    self._status, self._away = now, ""
                self._away = "THE DAEMON HAS ENDED"
            except daemon.NoDaemon as error:
                self._away = f"NO DAEMON: {error}"
            await asyncio.sleep(RETRY_S)

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _view(self) -> TableView:
        """A saved picture has every lamp as it is while lit."""
        now_ms = 0 if self._svg is not None else time.monotonic_ns() // 1_000_000
        return status_view(self._status, now_ms, tuple(self.news), "")

    def _show_picture(self) -> None:
        view = self._view()
        self._picture.show(view)
        head = Text(f" {view.name}", no_wrap=True, overflow="ellipsis")
        if self._away:
            head.append(f"   {self._away}; what is shown is old")
        else:
            gap = self.size.width - head.cell_len - len(view.state) - 1
            head.append(" " * max(2, gap) + view.state)
        self._head.update(head)
        self._tabs.update(self._views())

    def _views(self) -> Text:
        """Which views there are, the one chosen in brackets; and how many faults."""
        text = Text(" ", no_wrap=True, overflow="ellipsis")
        count = sum(row.mark is Mark.WRONG for row in rows.faults(self._status))
        for number, name in enumerate(VIEWS, start=1):
            label = f"{number} {name}{f' ({count})' if name == 'faults' else ''}"
            chosen = name == self._chosen
            ink = INKS[Mark.WRONG] if name == "faults" and count else "bold #ffffff" if chosen else "#b0b8c6"
            text.append(f"[{label}] " if chosen else f" {label}  ", ink)
        return text

    def _show_lists(self) -> None:
        status, now_s = self._status, time.monotonic()
        before, then_s = self._rated
        if now_s - then_s >= 2 * LISTS_EVERY_S:
            self._rates = rows.rates_of(before, status, now_s - then_s)
            self._rated = (status, now_s)
        self._lists["faults"].show(rows.faults(status))
        self._lists["links"].show(rows.links(status, self._rates))
        self._lists["lines"].show(rows.lines(status))
        self._lists["machine"].show(rows.machine(status))

    def action_view(self, name: str) -> None:
        self._choose(name)

    def _choose(self, name: str) -> None:
        """Narrow: only this view. Wide: the table, faults, links, and below them lines or the machine."""
        self._chosen = name
        self._picture.set_class(name != "table", "hidden")
        self._side.set_class(name == "table", "hidden")
        for own, listing in self._lists.items():
            listing.set_class(own != name, "hidden")
        self._lists["machine"].set_class(name != "machine", "unchosen")
        self._lists["lines"].set_class(name == "machine", "unchosen")
        if name != "table":
            self._lists[name].focus()
        self._show_picture()

    def _save(self) -> None:
        assert self._svg is not None, "only called to save"
        self._svg.write_text(own_fonts(self.export_screenshot(title=f"hil panel: {self._status.table}")), "utf-8")
        self.exit(DONE)

    # --- keys ---------------------------------------------------------------------------------------------------------

    def action_move(self, positions: int, wagers: int) -> None:
        self._picture.move(positions, wagers)

    def action_end(self) -> None:
        self.exit(DONE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys that can do nothing here are not offered."""
        if action == "do":
            return isinstance(self._hands, Hands) and (parameters != ("deal",) or self._hands.has_dealer)
        return True

    def action_do(self, what: str) -> None:
        """One act on the bench at a time: a second key while one is under way is refused, never kept for later."""
        hands = self._hands
        assert isinstance(hands, Hands), "such keys are offered at a bench only"
        if self.doing:
            self._tell("wait: what was asked for is still under way", wrong=True)
            return
        if what == "chip":
            spot = self._picture.spot
            if spot is not None:
                self._begin(lambda: hands.chip(spot))
        else:
            self._begin(getattr(hands, what))

    def _begin(self, act: Callable[[], Coroutine[None, None, str]]) -> None:
        self.doing = True
        self.run_worker(self._act(act), name="hands")

    async def _act(self, act: Callable[[], Coroutine[None, None, str]]) -> None:
        try:
            self._tell(await act())
        except (NoHands, ChipControlError, SimError, Stuck, PartDied) as error:
            self._tell(str(error), wrong=True)
        finally:
            self.doing = False

    def _tell(self, text: str, *, wrong: bool = False) -> None:
        self.news.append(f"{'! ' if wrong else '> '}{text}")
        self.notify(text, severity="error" if wrong else "information", timeout=6 if wrong else 2, markup=False)


def own_fonts(svg: str) -> str:
    """Without the fonts that the picture would fetch from elsewhere: widths are given for each text in it."""
    head, style, rest = svg.partition("<style>")
    css, end, body = rest.partition("</style>")
    parts = css.split("@font-face")
    kept = parts[0] + "".join(part.partition("}")[2] for part in parts[1:])
    return (
        head + style + kept.replace("Fira Code, monospace", "DejaVu Sans Mono, Menlo, Consolas, monospace") + end + body
    )
