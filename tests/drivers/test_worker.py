"""Blocking calls that return, raise, or never do."""

from __future__ import annotations

import asyncio
import threading

import pytest

from drivers.worker import Worker, WorkerHungError


def test_results_and_exceptions_come_from_one_thread() -> None:
    async def main() -> None:
        worker = Worker("test")
        first = await worker.call(threading.get_ident)
        assert first == await worker.call(threading.get_ident) != threading.get_ident()
        with pytest.raises(ZeroDivisionError):
            await worker.call(divmod, 1, 0)
        assert worker.hangs == 0
        worker.end()

    asyncio.run(main())


def test_a_call_that_hangs_costs_its_limit_once_and_one_thread() -> None:
    async def main() -> None:
        worker, freed, entered = Worker("test", limit_s=0.05), threading.Event(), threading.Event()

        def hang() -> None:
            entered.set()
            freed.wait()

        with pytest.raises(WorkerHungError, match="within"):
            await worker.call(hang)
        assert entered.is_set()
        before = threading.active_count()
        for _ in range(20):
            with pytest.raises(WorkerHungError, match="still hangs"):
                await worker.call(hang)
        assert threading.active_count() == before and worker.hangs == 1
        hung = next(thread for thread in threading.enumerate() if thread.name == "test")
        freed.set()
        await asyncio.get_running_loop().run_in_executor(None, hung.join)
        assert await worker.call(divmod, 7, 2) == (3, 1)
        worker.end()

    asyncio.run(main())


def test_the_loop_goes_on_while_a_call_blocks() -> None:
    async def main() -> None:
        worker, freed = Worker("test", limit_s=20), threading.Event()
        waiting = asyncio.ensure_future(worker.call(freed.wait))
        await asyncio.sleep(0)
        freed.set()  # by the loop, which is not blocked
        assert await waiting
        worker.end()

    asyncio.run(main())
