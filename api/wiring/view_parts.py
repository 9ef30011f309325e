"""What stream views work with. Drivers are imported when they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.wiring.given import part
from api.wiring.spark_parts import SparkParts

if TYPE_CHECKING:
    from views.ports import StreamEngine, Topics, ViewStates
    from views.row_ports import ServingTable


class ViewParts(SparkParts):
    """Streams, topics, rows and states of views."""

    @part
    def streams(self) -> StreamEngine:
        from api.joins.query_tables import Decoder
        from scanners.adapters.spark.carried_code import carried
        from views.adapters.spark import SparkStreams

        remote = self._settings.views.remote.get_secret_value() or self._settings.spark.remote.get_secret_value()
        return SparkStreams(remote, Decoder(carried))

    @part
    def view_topics(self) -> Topics:
        from views.adapters.topics import KafkaTopics

        return KafkaTopics()

    @part
    def serving(self) -> ServingTable:
        from views.adapters.serving_sql import SqlServingTable

        table = SqlServingTable(self._settings.views.serving_url or f"sqlite:///{self._home.root / 'views.db'}")
        self.closing.append(table.close)
        return table

    @part
    def view_states(self) -> ViewStates:
        from views.adapters.states_sql import SqlViewStates

        states = SqlViewStates(self._there())
        self.closing.append(states.close)
        return states

    def checkpoints(self) -> str:
        """The folder or URL of the views' state."""
        return self._settings.views.checkpoints or str(self._home.root / "views")
