"""A password for the local Elasticsearch, whose published jars lack the security plug-in.

A plug-in of forty lines, compiled when the server starts: a REST request needs the credentials, and a request of another
process over the transport port is refused, from any user. The compiler is the one that Spark brings.
"""

from __future__ import annotations

import base64
import os
import zipfile
from pathlib import Path
from typing import Any

from stack.installed import versions
from stack.installed.coursier import pyspark_jars

_PROPERTY = "weir.elasticsearch.authorization"
# Elasticsearch takes such a plug-in only from this package.
_PACKAGE = "org.elasticsearch.xpack.weir"
_SOURCE = f"""\
package {_PACKAGE};

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import org.elasticsearch.ElasticsearchStatusException;
import org.elasticsearch.action.ActionListener;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.util.concurrent.ThreadContext;
import org.elasticsearch.plugins.NetworkPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.plugins.interceptor.RestServerActionPlugin;
import org.elasticsearch.rest.RestChannel;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestInterceptor;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.tasks.Task;
import org.elasticsearch.transport.TransportChannel;
import org.elasticsearch.transport.TransportInterceptor;
import org.elasticsearch.transport.TransportRequest;
import org.elasticsearch.transport.TransportRequestHandler;

public class Guard extends Plugin implements RestServerActionPlugin, NetworkPlugin {{
    public RestInterceptor getRestHandlerInterceptor(ThreadContext context) {{ return new Rest(); }}

    public List getTransportInterceptors(NamedWriteableRegistry registry, ThreadContext context) {{
        return Collections.singletonList(new Transport());
    }}

    static ElasticsearchStatusException refused(String why) {{
        return new ElasticsearchStatusException(why, RestStatus.UNAUTHORIZED, new Object[0]);
    }}

    public static class Rest implements RestInterceptor {{
        private final byte[] expected = System.getProperty("{_PROPERTY}").getBytes(StandardCharsets.UTF_8);

        public void intercept(RestRequest request, RestChannel channel, RestHandler handler, ActionListener listener) {{
            String given = request.header("Authorization");
            if (given != null && MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8))) {{
                listener.onResponse(Boolean.TRUE);
            }} else {{
                listener.onFailure(refused("a user and password are needed"));
            }}
        }}
    }}

    public static class Transport implements TransportInterceptor {{
        public TransportRequestHandler interceptHandler(
            String action, Executor executor, boolean force, TransportRequestHandler handler
        ) {{
            return new Local(handler);
        }}
    }}

    public static class Local implements TransportRequestHandler {{
        private final TransportRequestHandler handler;

        Local(TransportRequestHandler handler) {{ this.handler = handler; }}

        public void messageReceived(TransportRequest request, TransportChannel channel, Task task) throws Exception {{
            if (!".direct".equals(channel.getProfileName())) {{
                throw refused("this node takes requests of its own only");
            }}
            handler.messageReceived(request, channel, task);
        }}
    }}
}}
"""
_DESCRIPTOR = f"""\
description=Asks for a user and password
name=weir-guard
version={versions.ELASTICSEARCH}
elasticsearch.version={versions.ELASTICSEARCH}
java.version=17
classname={_PACKAGE}.Guard
"""


def class_path() -> str:
    """The compiler's jars."""
    jars = [*pyspark_jars().glob("janino-*.jar"), *pyspark_jars().glob("commons-compiler-*.jar")]
    return os.pathsep.join(map(str, jars))


def authorization(user: str, password: str) -> str:
    """The value of the Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def option(user: str, password: str) -> str:
    """The option of the Java command that names what the plug-in asks for. It belongs into a file of arguments."""
    return f"-D{_PROPERTY}={authorization(user, password)}"


def install(opened: Any, modules: Path) -> None:
    """Compile the plug-in in the server's JVM and put it among its modules, before the node is made."""
    compiler = opened.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.cook(_SOURCE)
    folder = modules / "weir-guard"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "plugin-descriptor.properties").write_text(_DESCRIPTOR, encoding="utf-8")
    with zipfile.ZipFile(folder / "weir-guard.jar", "w") as jar:
        for name, code in compiler.getBytecodes().items():
            jar.writestr(f"{name.replace('.', '/')}.class", bytes(code))
