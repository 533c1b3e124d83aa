"""Puts a configured table together on the host: log, link, bridge, port and service."""

import os
import time
from dataclasses import dataclass

from host.config.table_file import TableConfig, game_config
from host.keys import read_signer, read_table_key
from host.log.checkpoints import CheckpointBook
from host.log.store import LogStore
from host.pico.digests import rules_digest
from host.table.bridge import Bridge
from host.table.link import HostLink
from host.table.port import TablePort
from host.table.rollup_observer import RollupObserver
from host.table.service import TableService


@dataclass
class RunningTable:
    """A table that is ready to be run, and what it writes to."""

    config: TableConfig
    store: LogStore
    service: TableService

    def close(self) -> None:
        self.store.close()


def open_table(config: TableConfig, port: str | None = None) -> RunningTable:
    """The table of a configuration. LogFailed, BadCheckpoint or KeyFileError in words if it cannot be run."""
    key = read_table_key(config.key)
    signer = read_signer(config.log.signer)
    store = LogStore(config.log.file, config.name)
    try:
        checkpoints = CheckpointBook(config.log.checkpoints, config.name, signer)
        link = HostLink(store.end, key.sealer, config.name, rules_digest(), os.urandom, lambda: int(time.time()))
        bridge = Bridge(link, store, checkpoints)
    except BaseException:
        store.close()
        raise
    service = TableService(bridge, TablePort(port or config.port), store, game_config(config))
    service.observers.append(RollupObserver(store))
    return RunningTable(config, store, service)
