"""The contract of a `ReaderBoard`, on every back end."""

from __future__ import annotations

import pytest

from drivers.devices.alpha_board import AlphaBoard
from drivers.events import LinkChanged, ShowFailed, Shown
from drivers.ports import BoardContent
from tests.contract.benches import Backend, Events, ScreenEnd, on_board

pytestmark = pytest.mark.parametrize("backend", list(Backend))

METERS = BoardContent("MINIBACCARAT", (("MEGA", "$50,000.00"), ("MAJOR", "$450.00"), ("MINOR", "$450.00")))


def meters(mega: str, message: str = "") -> BoardContent:
    return BoardContent(METERS.title, (("MEGA", mega), *METERS.fields[1:]), message)


def test_meters_change_in_place(backend: Backend) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(METERS)  # before it is connected
        assert (await events.next(LinkChanged)).up
        await end.until("MINIBACCARAT  MEGA $50,000.00  MAJOR $450.00  MINOR $450.00")
        for cents in range(1, 10):
            board.show(meters(f"$50,000.0{cents}"))
        await end.until("$50,000.09")
        assert events.none()

    on_board(backend, script)


def test_a_message_takes_the_board_until_it_is_released(backend: Backend) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(METERS)
        assert (await events.next(LinkChanged)).up
        board.show(meters("$50,000.00", "SEAT 3 WINS $50,000.00"))
        await end.until("SEAT 3 WINS $50,000.00")
        assert await end.screen() == "SEAT 3 WINS $50,000.00"
        board.show(METERS)
        await end.until("MEGA $50,000.00")

    on_board(backend, script)


def test_all_is_written_again_after_a_reconnection(backend: Backend) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(METERS)
        assert (await events.next(LinkChanged)).up
        await end.unplug()
        assert not (await events.next(LinkChanged)).up
        await end.power_cycle()
        board.show(meters("$50,001.00", "WIN"))
        await end.plug()
        await end.until("WIN")
        board.show(meters("$50,001.00"))
        await end.until("MINIBACCARAT  MEGA $50,001.00  MAJOR $450.00  MINOR $450.00")

    on_board(backend, script)


def test_a_win_that_ended_while_the_cable_was_out_is_gone_when_it_is_back(backend: Backend) -> None:
    """The sign itself has kept everything."""

    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(meters("$50,000.00", "SEAT 3 WINS"))
        assert (await events.next(LinkChanged)).up
        await end.until("SEAT 3 WINS")
        await end.unplug()
        assert not (await events.next(LinkChanged)).up
        board.show(meters("$10,000.00"))
        await end.plug()
        await end.until("MINIBACCARAT  MEGA $10,000.00  MAJOR $450.00  MINOR $450.00")

    on_board(backend, script)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (BoardContent("T", (("MEGA", "x" * 41),)), "holds 40 characters, got 41"),
        (BoardContent("T", (), "x" * 126), "125 bytes, got 126"),
        (BoardContent("T" * 601, ()), "take 601 bytes of 600"),
        (BoardContent("T", (("a", "b"),) * 17), "16 fields, got 17"),
    ],
)
def test_what_does_not_fit_is_refused_and_the_sign_not_emptied(
    backend: Backend, content: BoardContent, what: str
) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(METERS)
        assert (await events.next(LinkChanged)).up
        board.show(content)
        assert what in (await events.next(ShowFailed)).reason
        board.show(meters("$50,002.00"))
        await end.until("MINIBACCARAT  MEGA $50,002.00")

    on_board(backend, script)


def test_any_characters_become_characters_of_the_sign(backend: Backend) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(BoardContent("Röyal “9” – ♠\x04\x03", (("MEGA", "½\x1b"),)))
        assert (await events.next(LinkChanged)).up
        await end.until('Royal "9" - S    MEGA 1/2 ')

    on_board(backend, script)


def test_shown_is_reported_once_all_of_it_is_on_the_sign(backend: Backend) -> None:
    async def script(board: AlphaBoard, end: ScreenEnd, events: Events) -> None:
        board.show(METERS)
        assert (await events.next(LinkChanged)).up
        await events.next(Shown)
        board.show(meters("$50,000.05", "JACKPOT"))
        await events.next(Shown)
        await end.until("JACKPOT")

    on_board(backend, script)
