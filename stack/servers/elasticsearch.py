"""Elasticsearch: the core server in a plain JVM.

Its published jars have no usable main class: that one wants the folders of the full distribution (see gateway.py).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from stack.home import write_atomically
from stack.installed import artifacts, versions
from stack.processes.ports import LOOPBACK
from stack.processes.process import Identity
from stack.servers import elasticsearch_guard, gateway
from stack.servers.registry import answers
from stack.servers.server import COMMON_OPTIONS, Launch, ServerFacts, Site

PLUGIN = f"""\
description=Netty transport
name=transport-netty4
version={versions.ELASTICSEARCH}
elasticsearch.version={versions.ELASTICSEARCH}
java.version=17
classname=org.elasticsearch.transport.netty4.Netty4Plugin
"""


class Elasticsearch:
    facts = ServerFacts(
        "elasticsearch",
        "Elasticsearch",
        versions.ELASTICSEARCH,
        ("elasticsearch", "elasticsearch-netty4"),
        ("elasticsearch-transport",),
    )

    def prepare(self, site: Site) -> Launch:
        data = site.home.data("elasticsearch")
        module = data / "modules" / "transport-netty4"
        shutil.rmtree(data / "modules", ignore_errors=True)
        for folder in (module, data / "plugins", data / "config", data / "data"):
            folder.mkdir(parents=True, exist_ok=True)
        for jar in artifacts.jars("elasticsearch-netty4"):
            (module / jar.name).symlink_to(jar)
        write_atomically(module / "plugin-descriptor.properties", PLUGIN)
        options = [
            "-Dio.netty.noUnsafe=true",
            "-Dio.netty.allocator.numDirectArenas=0",
            "-Dlog4j.shutdownHookEnabled=false",
            "-Dlog4j2.disable.jmx=true",
            "-Djava.locale.providers=CLDR",
            "-XX:MaxDirectMemorySize=96m",
            "--add-opens=java.base/java.io=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
        ]
        classes = gateway.class_path("elasticsearch")
        if login := site.login("elasticsearch"):
            options.append(elasticsearch_guard.option(*login))
            classes = os.pathsep.join((classes, elasticsearch_guard.class_path()))
        words = [f"-Xmx{site.settings.elasticsearch_memory}", *COMMON_OPTIONS, *options]
        argv = site.java_file("elasticsearch", [*words, "-cp", classes, *gateway.MAIN])
        return Launch(argv, site.environment(), data)

    def boot(self, site: Site, identity: Identity, log: Path) -> None:
        title, timeout = self.facts.title, site.settings.start_timeout
        with gateway.opened(title, identity, log, timeout) as opened:
            self._start(opened, site)

    def ready(self, site: Site) -> bool:
        # `GET /` lives in a module that is not published.
        return answers(site.ports["elasticsearch"], "/_cluster/health?timeout=1s", site.login("elasticsearch"))

    def url(self, site: Site) -> str:
        return f"http://{LOOPBACK}:{site.ports['elasticsearch']}"

    def _start(self, opened: Any, site: Site) -> None:
        jvm = opened.jvm
        elastic = jvm.org.elasticsearch
        data = site.home.data("elasticsearch")
        if site.secured:
            elasticsearch_guard.install(opened, data / "modules")
        builder = elastic.common.settings.Settings.builder()
        for name, value in {
            "cluster.name": "weir",
            "node.name": "weir",
            "path.home": str(data),
            "path.data": str(data / "data"),
            "path.logs": str(site.home.logs),
            "network.host": LOOPBACK,
            "http.port": str(site.ports["elasticsearch"]),
            "transport.port": str(site.ports["elasticsearch-transport"]),
            "discovery.type": "single-node",
            "logger.level": "WARN",
            # The distribution's native libraries are not among the published jars; it says so at length.
            "logger.org.elasticsearch.nativeaccess": "ERROR",
            # Garbage counts as memory in use otherwise. The serial collector leaves it until the heap is full, and then
            # every request is refused, so that nothing fills the heap and nothing is collected.
            "indices.breaker.total.use_real_memory": "false",
            # A laptop's disk is often nine tenths full; that must not make the index read-only.
            "cluster.routing.allocation.disk.threshold_enabled": "false",
        }.items():
            builder.put(name, value)
        settings = builder.build()
        elastic.common.logging.LogConfigurator.configureESLogging()
        elastic.common.logging.LogConfigurator.configureWithoutConfig(settings)
        path = jvm.java.nio.file.Path
        nothing = opened.new_array(jvm.java.lang.String, 0)
        environment = elastic.env.Environment(settings, path.of(str(data / "config"), nothing))
        loader = elastic.plugins.PluginsLoader.createPluginsLoader(
            elastic.plugins.PluginsLoader.loadModulesBundles(environment.modulesDir()),
            elastic.plugins.PluginsLoader.loadPluginsBundles(environment.pluginsDir()),
            jvm.java.util.Collections.emptyMap(),
            False,
        )
        node = elastic.node.Node(environment, loader)
        node.start()
        gateway.keep_alive(opened, node, "close")
