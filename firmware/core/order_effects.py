"""Records of what two persons have ordered (`orders.py`): part of `effects.Record`."""

from __future__ import annotations

from firmware.core.order_data import Account
from firmware.core.rules import MeterRule
from firmware.core.stored import Message


class OrderTaken(Message, frozen=True):
    """The order of this entry is carried out; `order` is its name (`order_data.ORDERS`)."""

    order: str


class OrderRefused(Message, frozen=True):
    """The order of this entry has changed nothing, and why."""

    order: str
    why: str


class MeterCorrected(Message, frozen=True):
    """An account of a meter was set by order."""

    meter: str
    account: Account
    was_micro: int
    becomes_micro: int


class TransferredOut(Message, frozen=True):
    """Money left an account of a meter by order; `other` says where to."""

    meter: str
    account: Account
    micro: int
    other: str


class TransferredIn(Message, frozen=True):
    """Money came to an account of a meter by order; `other` says where from."""

    meter: str
    account: Account
    micro: int
    other: str


class ParametersOrdered(Message, frozen=True):
    """The parameters under which a meter may live on from the next start on."""

    meter: MeterRule


class ParametersInForce(Message, frozen=True):
    """Ordered parameters that the configuration now has."""

    meter: MeterRule


class ClearingOrdered(Message, frozen=True):
    """From here on the journal is to be cleared, or (`withdrawn`) not after all."""

    withdrawn: bool


OrderRecord = (
    OrderTaken
    | OrderRefused
    | MeterCorrected
    | TransferredOut
    | TransferredIn
    | ParametersOrdered
    | ParametersInForce
    | ClearingOrdered
)
