"""Tests of features reach no network either."""

from tests.unit.conftest import no_network as no_network
