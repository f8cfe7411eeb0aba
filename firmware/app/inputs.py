"""From what devices report to what happens at the table: lines become spots and keys, cards get their hand.

Rules:
* A line that is not in the map is a fault of the configuration and raises; nothing is ignored.
* `InputsReady` is about all line devices that sense a button or key, and waits for all of them; each device that
  senses spots only has its own `SpotsReady`.
* `InputsSettled` is about the whole table. It waits for no device that senses spots only and is away: what its spots
  were is for the core to say.
* A string of lamps with inputs that tell whether it lives is up while its link and they say so.
* A device's name in the core is its name in the configuration.
* `check` refuses wheels, dice and releases at a table whose game has none; dice and releases are of no game yet, and
  their events raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import assert_never

from drivers import events as dev
from drivers.release_events import ReleaseEvent
from drivers.result_events import DiceEvent, WheelEvent
from firmware.app.lamp_life import LampLife
from firmware.app.line_names import DOOR, FLOOR_KEY, KEY_LINES, LOCKOUT, RESET_KEY, fold_line, spot_line
from firmware.app.results import of_wheel
from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.rules import SpotRule

Post = Callable[[ev.Event], None]
OnShown = Callable[[dev.Shown], None]


class Inputs:
    """Translates; keeps nothing but what several line devices still owe."""

    def __init__(
        self,
        spots: Iterable[SpotRule],
        line_devices: Iterable[str],
        post: Post,
        shown: OnShown,
        spot_devices: Iterable[str] = (),
        lamp_lines: Mapping[str, str] | None = None,
    ) -> None:
        """`lamp_lines`: inputs that tell whether lamps live, and whose (`lamp_life.py`)."""
        self._spots = {spot_line(s.position, s.wager): s for s in spots}
        self._folds = {fold_line(s.position): s.position for s in self._spots.values()}
        self._line_devices = frozenset(line_devices)
        self._spot_devices = frozenset(spot_devices)
        self._post = post
        self._shown = shown
        self._ready: dict[str, dev.LinesReady] = {}
        self._settled: dict[str, dev.LinesSettled] = {}
        self._keys = {FLOOR_KEY: False, RESET_KEY: False}
        self._lamps = LampLife(lamp_lines or {})

    def take(self, event: dev.DeviceEvent) -> None:
        """One device event, on the loop's thread."""
        if isinstance(event, WheelEvent):
            if (told := of_wheel(event)) is not None:
                self._post(told)
            return
        if isinstance(event, DiceEvent | ReleaseEvent):
            raise LookupError(f"{event.device}: {type(event).__name__} at a table whose game has none of it")
        match event:
            case dev.LinesReady():
                self._lines_ready(event)
            case dev.LineChanged() | dev.LineReconciled():
                self._line_changed(event)
            case dev.LineEdge():
                if event.line == LOCKOUT:
                    self._post(ev.LockEdge(event.at_ns))
            case dev.LineGlitch():
                if event.line == LOCKOUT:
                    self._post(ev.LockGlitch(event.at_ns, event.lasted_ns))
            case dev.LinesSettled():
                self._lines_settled(event)
            case dev.LateLineEdge():
                if (spot := self._spots.get(event.line)) is not None:
                    self._post(ev.LateEdge(spot.position, spot.wager, event.active, event.at_ns, event.lateness_ns))
            case dev.LineTroubled() | dev.LineHealthy():
                self._line_trouble(event)
            case dev.CommonModeBurst():
                self._post(ev.NoiseBurst(event.at_ns, event.lines))
            case dev.KeySwitchTurned():
                self._key_switch(event)
            case dev.CardDrawn():
                self._card_drawn(event)
            case dev.CardHeldOver():
                self._post(ev.CardHeldOver(event.card, event.at_ns, event.raw))
            case dev.CardOutsideGame():
                self._post(ev.CardBurned(event.card, event.mode, event.at_ns, event.raw))
            case dev.CutCardDrawn():
                self._post(ev.CutCardDrawn(event.at_ns))
            case dev.ReaderStarted():
                self._post(ev.ReaderStarted(event.at_ns))
            case dev.ReaderStandBy():
                pass  # says that the shoe lives; its driver has counted it
            case dev.ReaderResult():
                self._post(
                    ev.ReaderResult(event.winner.value, event.player_pair, event.banker_pair, event.at_ns, event.raw)
                )
            case dev.ReaderError():
                self._post(ev.ReaderError(event.code, event.text, event.at_ns))
            case dev.ReaderErrorCleared():
                self._post(ev.ReaderErrorCleared(event.code, event.at_ns))
            case dev.ReaderLocked():
                self._post(ev.ReaderLocked(event.locked, event.at_ns))
            case dev.LinkChanged():
                self._link(event)
            case dev.Shown():
                self._shown(event)
            case dev.ShowFailed():
                self._post(ev.EffectFailed(event.device, event.reason, event.at_ns))
            case _:
                assert_never(event)

    def died(self, event: ev.Event) -> None:
        """A device's task died; `event` says so to the core."""
        if isinstance(event, ev.DeviceDown):
            self._ready.pop(event.device, None)
            self._lamps.gone(event.device)
        self._post(event)
        self._settle_if_complete()

    def gone(self, device: str) -> None:
        """A device was let go of: what it last said of its lines holds no more."""
        self._ready.pop(device, None)
        self._lamps.gone(device)
        self._settle_if_complete()

    # --- lines ------------------------------------------------------------------------------------------------------

    def _lines_ready(self, event: dev.LinesReady) -> None:
        self._ready[event.device] = event
        own = {level.line: level.active for level in event.levels}
        for key in self._keys:
            if f"{key}.rest" in own:
                self._keys[key] = False  # a key that stands turned as its lines come back has not been turned
        if own.get(DOOR):
            self._post(ev.DoorMoved(True, event.at_ns))
        for line, dead in own.items():
            self._lamp_line(line, dead, event.at_ns)
        if event.device in self._spot_devices:
            self._post(ev.SpotsReady(event.device, event.at_ns, self._covered(own)))
            return
        if not self._line_devices <= self._ready.keys():
            return
        levels = {level.line: level.active for name in self._line_devices for level in self._ready[name].levels}
        covered = self._covered(levels)
        floor, reset = self._keys[FLOOR_KEY], self._keys[RESET_KEY]
        self._post(ev.InputsReady(event.at_ns, covered, levels[LOCKOUT], floor, reset))

    def _covered(self, levels: Mapping[str, bool]) -> tuple[ev.CoveredSpot, ...]:
        return tuple(ev.CoveredSpot(s.position, s.wager) for name, s in self._spots.items() if levels.get(name))

    def _line_changed(self, event: dev.LineChanged | dev.LineReconciled) -> None:
        spot = self._spots.get(event.line)
        if spot is not None:
            kind = ev.ChipPlaced if event.active else ev.ChipLifted
            reconciled = isinstance(event, dev.LineReconciled)
            self._post(kind(spot.position, spot.wager, event.not_before_ns, event.not_after_ns, reconciled))
        elif event.line == LOCKOUT:
            if event.active:
                if isinstance(event, dev.LineReconciled):
                    self._post(ev.LockEdge(event.not_before_ns))  # its own edge was lost
                self._post(ev.LockProved(event.not_before_ns))
            else:
                self._post(ev.LockReleased(event.not_before_ns))
        elif event.line == DOOR:
            self._post(ev.DoorMoved(event.active, event.not_before_ns))
        elif self._lamps.knows(event.line):
            self._lamp_line(event.line, event.active, event.not_after_ns)
        elif event.line in KEY_LINES:
            if event.active:
                self._post(ev.KeyPressed(KEY_LINES[event.line], event.not_before_ns))
        elif event.line in self._folds:
            if event.active:
                self._post(ev.FoldPressed(self._folds[event.line], event.not_before_ns))
        elif event.line.split(".")[0] not in self._keys:
            raise LookupError(f"line {event.line!r} of {event.device} is neither a spot nor a key of this table")

    def _lamp_line(self, line: str, dead: bool, at_ns: int) -> None:
        if self._lamps.knows(line) and (found := self._lamps.line(line, dead, at_ns)) is not None:
            self._post(found)

    def _lines_settled(self, event: dev.LinesSettled) -> None:
        if event.device not in self._line_devices and event.device not in self._ready:
            return  # away: it proves nothing
        self._settled[event.device] = event
        self._settle_if_complete()

    def _settle_if_complete(self) -> None:
        """Every device that is there has answered about the same instant."""
        awaited = self._line_devices | (self._spot_devices & self._ready.keys())
        answers = [answer for name, answer in self._settled.items() if name in awaited]
        if len(answers) < len(awaited) or len({answer.at_ns for answer in answers}) != 1:
            return
        self._settled.clear()
        event = answers[0]
        verdicts = tuple(
            ev.SpotVerdict(
                self._spots[v.line].position, self._spots[v.line].wager, v.active, v.not_before_ns, v.not_after_ns,
                v.straddles, v.contradicted, v.left_ns, v.arrived_after, v.latched,
            )
            for answer in answers
            for v in answer.verdicts
            if v.line in self._spots and (v.active or v.straddles or v.contradicted or v.arrived_after)
        )  # fmt: skip
        worst = max(answer.worst_lateness_ns for answer in answers)
        window_ns = max(answer.window_ns for answer in answers)
        self._post(ev.InputsSettled(event.at_ns, window_ns, worst, verdicts))

    def _line_trouble(self, event: dev.LineTroubled | dev.LineHealthy) -> None:
        spot = self._spots.get(event.line)
        key = event.line.split(".")[0]
        if self._lamps.knows(event.line):
            self._lamp_line(event.line, event.active if isinstance(event, dev.LineHealthy) else True, event.at_ns)
            return
        if key in self._keys:
            self._keys[key] = False  # to be turned anew: what it did meanwhile nobody saw
        if isinstance(event, dev.LineHealthy):
            if spot is not None:
                self._post(ev.SpotRecovered(spot.position, spot.wager, event.active, event.at_ns))
            else:
                self._level_after_trouble(event)
                self._post(ev.KeyWiringFailed(event.line, True, event.at_ns))
        elif spot is not None:
            trouble = ev.SpotTrouble(event.trouble.value)
            self._post(ev.SpotFailed(spot.position, spot.wager, trouble, event.at_ns))
        else:
            self._post(ev.KeyWiringFailed(event.line, False, event.at_ns))

    def _level_after_trouble(self, event: dev.LineHealthy) -> None:
        """A line that is in order again stands as it stands: no edge will tell of what it did meanwhile. A lock-out
        wire that broke reads as pressed, and must keep betting closed."""
        if event.line == LOCKOUT:
            self._post(ev.LockProved(event.at_ns) if event.active else ev.LockReleased(event.at_ns))
        elif event.line == DOOR and event.active:
            self._post(ev.DoorMoved(True, event.at_ns))

    def _key_switch(self, event: dev.KeySwitchTurned) -> None:
        self._keys[event.key] = event.turned
        if event.key == FLOOR_KEY:
            self._post(ev.FloorKeyTurned(event.turned, event.at_ns))
        elif event.key == RESET_KEY:
            self._post(ev.ResetKeyTurned(event.turned, event.at_ns))
        else:
            raise LookupError(f"key switch {event.key!r} of {event.device} is no key of this table")

    # --- cards and links --------------------------------------------------------------------------------------------

    def _card_drawn(self, event: dev.CardDrawn) -> None:
        match event.target:
            case dev.CardTarget.PLAYER | dev.CardTarget.BANKER:
                hand = Hand.PLAYER if event.target is dev.CardTarget.PLAYER else Hand.BANKER
                self._post(ev.CardRead(hand, event.index, event.card, event.at_ns, event.raw))
            case dev.CardTarget.BURN | dev.CardTarget.FIRST_CARD | dev.CardTarget.BURN_COUNT:
                self._post(ev.CardBurned(event.card, event.target.value, event.at_ns, event.raw))
            case dev.CardTarget.UNASSIGNED:
                if event.card is None:
                    raise ValueError(f"{event.device}: a card without a hand and without a face: {event.raw}")
                self._post(ev.CardScanned(event.card, event.at_ns, event.raw))
            case _:
                assert_never(event.target)

    def _link(self, event: dev.LinkChanged) -> None:
        if self._lamps.watches(event.device):
            if (found := self._lamps.link(event)) is not None:
                self._post(found)
        elif event.up:
            self._post(ev.DeviceUp(event.device, event.at_ns))
        elif event.state is not dev.LinkState.OPENING and event.reason:
            self._ready.pop(event.device, None)
            self._post(ev.DeviceDown(event.device, event.reason, event.at_ns))
            self._settle_if_complete()
