"""The dealer and the patrons: one round after the other, led by what the dealer's display shows.

Rules:
* `ACTIONS` has one row for everything that the display can ask for; nothing is done that it does not ask for, so a
  table that was left in the middle of a round is played on.
* What the table's card reader does not say is said by key: that cards are burned, that the cut card came.
* Cards go where the display says. The reader's own result is reckoned here from the cards drawn, apart from the daemon.
* The chip count is what lies on the layout. If it is not the number on the display, the dealer presses CALL.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from msgspec.structs import replace

from hil.croupier import Croupier
from hil.dealer_screen import DealerScreen, Screen, Stuck, Title
from hil.floorperson import Floorperson
from hil.layout import Layout, Spot
from hil.panel import Panel
from hil.script import Happening, RoundPlan
from hil.simclient import AsyncSimClient, SimError
from hil.wheel_hand import WheelHand

CUT_DEPTH_CARDS = (60, 100)
"""The dealer puts the cutting card this deep: shallow, so that a short session sees a new shoe."""
BURN = "BURN, THEN CONFIRM"
STOPPED_AFTER = {Happening.MISDEAL: 3, Happening.EXPOSED_CARD: 2}
"""So many cards are out when the dealer calls."""

FOLD_BEFORE = ("1", "4")
FOLDS, WRONG_BUTTON = 0.2, 0.25

FAST_SPACING_MS = 4
"""Between the three copies of a telegram where nobody watches; the shoe's own 60 ms otherwise."""


@dataclass(slots=True)
class Hands:
    """The cards that lie on the layout."""

    player: list[str] = field(default_factory=list)
    banker: list[str] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)
    """Where the game has other hands: by the short name that the display has for them."""

    @property
    def out(self) -> int:
        """How many cards lie there."""
        return len(self.player) + len(self.banker) + sum(map(len, self.others.values()))

    def hand(self, name: str) -> list[str]:
        own = {"player": self.player, "banker": self.banker}
        return own[name] if name in own else self.others.setdefault(name, [])

    def result(self) -> dict[str, object]:
        """What the reader says at the end of the game."""
        player, banker = _points(self.player), _points(self.banker)
        return {
            "winner": "tie" if player == banker else "player" if player > banker else "banker",
            "player_pair": _is_pair(self.player),
            "banker_pair": _is_pair(self.banker),
        }


def _points(cards: list[str]) -> int:
    return sum(int(card[0]) if card[0].isdigit() else 1 if card[0] == "A" else 0 for card in cards) % 10


def _is_pair(cards: list[str]) -> bool:
    return len(cards) >= 2 and cards[0][0] == cards[1][0]


class Dealer:
    """Plays rounds. `pressed` collects what lay on the layout at each lock-out, by the press's time."""

    def __init__(
        self, layout: Layout, panel: Panel, screen: DealerScreen, shoe: AsyncSimClient, seed: int, think_ms: int
    ) -> None:
        self._layout = layout
        self._panel = panel
        self._screen = screen
        self._shoe = shoe
        self._chance = random.Random(seed + 1)
        self._think_s = think_ms / 1000
        self._floor = Floorperson(panel, screen, self._pause)
        self._wheel = WheelHand(shoe)  # used where the table has one
        self._croupier = Croupier(panel, screen, self._floor, self._wheel, self._chance)
        self._plan = RoundPlan(Happening.NOTHING, ())
        self._hands = Hands()
        self._cleared = False
        self._drawn_last: tuple[str, str] | None = None  # to which hand, and the card
        self._cut_seen = False  # the cut card came out, and the table has not been told
        self._shoe_is_new = False  # the simulated shoe is; what the table counted before is of another one
        self._decided = False  # the floorperson has looked at this round's count
        self._saw_every_card = False  # else the round began in another session: the reader knows no result
        self.pressed: dict[int, frozenset[Spot]] = {}
        self._actions: dict[str, Callable[[Screen], Awaitable[None]]] = {
            Title.CLOSED: self._open,
            Title.LAMP_TEST: self._see_lamps,
            Title.NO_WAGERS: self._wait_or_burn,
            Title.NEW_SHOE: self._change_shoe,
            Title.BETTING: self._take_wagers,
            Title.BETTING_CLOSED: self._wait,
            Title.COUNT: self._count,
            Title.DEAL: self._deal,
            Title.SPIN: self._spin,
            Title.CHECK_NUMBER: self._check_number,
            Title.WAIT: self._wait,
            Title.AWARD: self._award,
            Title.PLAY: self._play_hands,
            Title.WAIT_FOR_READER: self._end_game,
            Title.PAY: self._pay,
            Title.STOPPED: self._stopped,
            Title.VOID: self._return_chips,
        }

    async def play(self, plan: RoundPlan) -> None:
        """One round, from wherever the table stands until it has been cleared."""
        self._plan = plan
        await self.finish()

    async def open_table(self) -> None:
        """From a closed table to open betting, or to what keeps it from opening."""
        while (screen := await self._known_screen()).title in (
            Title.CLOSED,
            Title.LAMP_TEST,
            Title.NEW_SHOE,
            Title.NO_WAGERS,
        ):
            await self._actions[screen.kind](screen)

    def begin_round(self) -> None:
        """No card of the round is out yet: from here on every one is dealt by this dealer."""
        self._hands, self._saw_every_card, self._drawn_last = Hands(), True, None

    async def deal_one(self) -> bool:
        """The card that the display asks for; False if it asks for none."""
        screen = await self._known_screen()
        if screen.kind != Title.DEAL:
            return False
        await self._deal(screen)
        return True

    async def step(self) -> str:
        """One thing that the display asks for; what it asked."""
        screen = await self._known_screen()
        await self._actions[screen.kind](screen)
        return " ".join(part for part in (screen.title, screen.prompt) if part)

    async def finish(self) -> None:
        """What the display says, until the table has been cleared."""
        self._cleared = self._decided = False
        while not self._cleared:
            screen = await self._known_screen()
            await self._actions[screen.kind](screen)

    async def _known_screen(self) -> Screen:
        return await self._screen.until("a line that the dealer knows", lambda s: s.kind in self._actions)

    async def close_table(self) -> None:
        """The last round is over."""
        await self._screen.until("the table to be between rounds", lambda s: s.title in (Title.BETTING, Title.NEW_SHOE))
        await self._floor.close_table()

    async def _pause(self) -> None:
        await asyncio.sleep(self._think_s)

    # --- between rounds -----------------------------------------------------------------------------------------------

    async def _open(self, screen: Screen) -> None:
        await self._pause()
        await self._floor.open_table()

    async def _see_lamps(self, screen: Screen) -> None:
        """This dealer sees what the table shows: a dead pixel is a scenario's matter."""
        await self._pause()
        await self._panel.confirm()
        await self._screen.changed_from(screen, "the lamps were seen")

    async def _wait(self, screen: Screen) -> None:
        await self._screen.changed_from(screen, "waiting")

    async def _wait_or_burn(self, screen: Screen) -> None:
        if screen.prompt != BURN:
            await self._wait(screen)
            return
        await self._burn()
        await self._pause()
        await self._panel.confirm()
        await self._screen.changed_from(screen, "the cards were burned")

    async def _change_shoe(self, screen: Screen) -> None:
        """New cards; the reader says that it starts. Where that opens no shoe, the floorperson does."""
        await self._pause()
        await self._new_cards()
        await self._shoe.call("start")
        await asyncio.sleep(0.1)  # the time it takes the reader's three telegrams
        if (await self._screen.read()).title == Title.NEW_SHOE:
            await self._floor.new_shoe()
        if self._layout.reader.burns and not self._layout.fresh_deck:  # else the display asks for it
            await self._burn()

    async def _new_cards(self) -> None:
        depth = -1 if self._layout.fresh_deck else self._chance.randint(*CUT_DEPTH_CARDS)
        await self._shoe.call("fill", seed=self._chance.getrandbits(32), cut_after=depth)
        if not self._think_s:
            await self._shoe.call("set", spacing_ms=FAST_SPACING_MS)
        self._shoe_is_new = True

    async def _burn(self) -> None:
        """The first card, face up, and as many face down as it counts (a ten and faces ten)."""
        first = str((await self._shoe.call("burn", target="first_card"))["card"])
        for index in range(1, (_points([first]) or 10) + 1):
            await self._shoe.call("burn", index=index, read=False)

    # --- wagers -------------------------------------------------------------------------------------------------------

    async def _take_wagers(self, screen: Screen) -> None:
        if self._layout.wheel:
            await self._wheel.spin()
        elif not self._shoe_is_new:
            await self._new_cards()
            await self._floor.new_shoe()
            if not self._layout.reader.burns:
                return  # the display asks for it
            if not self._layout.fresh_deck:
                await self._burn()
        elif self._layout.fresh_deck:
            await self._new_cards()
        self.begin_round()
        plan, panel = self._plan, self._panel
        if plan.cards:
            await self._stack(plan.cards)
        if plan.happening is Happening.STUCK_SENSOR and plan.odd_one is not None:
            await panel.stick(plan.odd_one)
        for spot in plan.chips:
            await panel.place(spot)
            await asyncio.sleep(self._think_s / max(1, len(plan.chips)))
        await self._pause()
        if self._layout.elsewhere and panel.chips:  # polled: a chip that is put down with the press is in doubt
            for spot in tuple(panel.chips):
                await panel.let_it_be_sensed(spot)
        if plan.happening is Happening.WHEEL_CLOSES:
            await self._croupier.leave_it_to_the_wheel(screen)
            return
        pressed_ns = await panel.lock_out()
        sensed = {*panel.chips, plan.odd_one} if plan.happening is Happening.STUCK_SENSOR else {*panel.chips}
        self.pressed[pressed_ns] = frozenset(spot for spot in sensed if spot is not None)
        if plan.odd_one is not None:
            await asyncio.sleep(
                self._layout.polled_within_ms(plan.odd_one) / 1000
            )  # so that it is surely after the press
        if plan.happening is Happening.LATE_CHIP and plan.odd_one is not None:
            await panel.place(plan.odd_one)
        elif plan.happening is Happening.CHIP_REMOVED and plan.odd_one is not None:
            await panel.let_it_be_sensed(plan.odd_one)
            await panel.take(plan.odd_one)
        await self._screen.changed_from(screen, "lock-out")

    async def _stack(self, cards: tuple[str, ...]) -> None:
        try:
            await self._shoe.call("load", cards=list(cards))
        except SimError:
            self._plan = RoundPlan(Happening.NOTHING, self._plan.chips)  # this shoe has them no more: as it comes

    async def _count(self, screen: Screen) -> None:
        await self._pause()
        late = self._plan.odd_one
        if self._plan.happening is Happening.LATE_CHIP and late in self._panel.chips and late is not None:
            await self._panel.take(late)  # its lamp says that it is no wager: it goes back to the patron
        lie_there = sum(spot.wager in self._layout.progressive for spot in self._panel.chips)
        first_time = not self._decided
        doubtful = first_time and (bool(screen.trouble) or self._plan.happening is Happening.MISCOUNT)
        if screen.prompt.split(" ")[0] == str(lie_there) and not doubtful:
            await self._panel.confirm()
            await self._screen.changed_from(screen, "CONFIRM")
            return
        if self._decided:
            raise Stuck(f"{lie_there} progressive chips lie there after the floorperson has decided; display: {screen}")
        self._decided = True
        await self._panel.call()
        await self._screen.until("the mismatch to be shown", lambda s: bool(s.trouble) or s.title != Title.COUNT)
        await self._floor.decide_doubts()
        if self._plan.happening is Happening.STUCK_SENSOR and self._plan.odd_one is not None:
            await self._panel.unstick(self._plan.odd_one)

    # --- the deal -----------------------------------------------------------------------------------------------------

    async def _deal(self, screen: Screen) -> None:
        """One card to where the display says: "BANKER CARD 3", "P2 CARD 1"."""
        if self._plan.happening in STOPPED_AFTER and self._hands.out == STOPPED_AFTER[self._plan.happening]:
            await self._panel.call()
            await self._screen.changed_from(screen, "CALL")
            return
        await self._pause()
        hand, _, index = screen.prompt.lower().split(" ")
        if hand == "board" and index in FOLD_BEFORE:
            await self._fold(screen)
        to = {"target": hand, "index": int(index)} if hand in ("player", "banker") else {}
        card = await self._draw(**to)
        self._hands.hand(hand).append(card)
        self._drawn_last = (hand, card)
        await self._screen.until(
            f"{card} for the {hand.title()} hand",
            lambda now: (now.title, now.prompt) != (screen.title, screen.prompt),  # a fold changes the third line too
        )
        await self._tell_of_cut()

    async def _fold(self, screen: Screen) -> None:
        """Who does not go on; now and then the wrong button was pressed, and is pressed again."""
        for name in [name for name in self._hands.others if name.startswith("p")]:
            if self._chance.random() < FOLDS:
                for _ in range(2 if self._chance.random() < WRONG_BUTTON else 1):
                    await self._panel.fold(int(name[1:]))

    async def _tell_of_cut(self) -> None:
        if self._cut_seen and not self._layout.reader.cut_card:
            await self._floor.cut_card()
        self._cut_seen = False

    async def _draw(self, **to: object) -> str:
        drawn = await self._shoe.call("deal", **to)
        self._cut_seen = self._cut_seen or bool(drawn["cut"])
        return str(drawn["card"])

    async def _play_hands(self, screen: Screen) -> None:
        """What patrons and dealer draw beyond the first cards; then the hole card is turned."""
        drawn = 0 if self._layout.fresh_deck else self._chance.randint(0, len(self._hands.others))
        for _ in range(drawn):
            await self._pause()
            await self._draw()
        await self._tell_of_cut()
        await self._pause()
        if screen.prompt.endswith("CONFIRM"):
            await self._panel.confirm()
            await self._screen.changed_from(screen, "the dealer's hand lies open")
        else:
            await self._clear(screen)

    # --- the wheel ----------------------------------------------------------------------------------------------------

    async def _spin(self, screen: Screen) -> None:
        await self._pause()
        self._plan = await self._croupier.spin(screen, self._plan)

    async def _check_number(self, screen: Screen) -> None:
        await self._pause()
        await self._croupier.check_number(screen)

    async def _award(self, screen: Screen) -> None:
        """Verify and pay what the display says; what it asks the floorperson for is the floorperson's."""
        if screen.prompt.startswith("FLOOR"):
            await self._floor.see_to_awards()
        elif screen.prompt.startswith("TURN RESET KEY"):
            await self._floor.reset_meters()
        else:
            await self._pause()
            await self._panel.confirm()
        await self._screen.changed_from(screen, "the award was seen to")

    async def _end_game(self, screen: Screen) -> None:
        if self._saw_every_card:
            await self._shoe.call("result", **self._hands.result())
        await self._screen.changed_from(screen, "the reader's result")

    async def _pay(self, screen: Screen) -> None:
        await self._pause()
        await self._clear(screen)

    async def _stopped(self, screen: Screen) -> None:
        await self._pause()
        if self._plan.happening is Happening.EXPOSED_CARD and self._drawn_last is not None:
            hand, card = self._drawn_last
            await self._floor.set_aside(card)
            self._hands.hand(hand).pop()
            self._plan = replace(self._plan, happening=Happening.NOTHING)  # it is seen to
            return
        await self._floor.void_or_resume()

    async def _return_chips(self, screen: Screen) -> None:
        await self._pause()
        if self._layout.wheel:
            await self._croupier.let_it_rest()
        await self._clear(screen)

    async def _clear(self, screen: Screen) -> None:
        if self._plan.happening is Happening.STUCK_SENSOR and self._plan.odd_one is not None:
            await self._panel.unstick(self._plan.odd_one)
        await self._panel.sweep()
        await self._panel.clear()
        await self._screen.until(
            "the table to be cleared", lambda s: s.title not in (Title.PAY, Title.VOID, Title.PLAY)
        )
        self._cleared = True
