"""The server for agents, `/mcp`: tools of the Model Context Protocol over the routes of the API.

A tool call becomes requests to this application's own routes, in process, with the caller's own credential. Guards, scopes,
rates, decisions, masks, audit and error texts are therefore those of the routes; nothing here decides. Read `tools/` first: one
entry per tool.
"""

COMMANDS = ("mcp",)
