"""Drives a session over the host's Unix socket with nothing but Python: one JSON-RPC message a line."""

import json
import os
import pathlib
import socket

home = pathlib.Path(os.environ.get("TRANSOM_HOME", pathlib.Path.home() / ".transom"))
address = json.loads((home / "host-v1.lock").read_text())["socket"]  # "transom list" starts a host

connection = socket.socket(socket.AF_UNIX)
connection.connect(address)
lines = connection.makefile("r", encoding="utf-8")


def call(method, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    connection.sendall(json.dumps(request).encode() + b"\n")
    answer = json.loads(lines.readline())
    if "error" in answer:
        raise RuntimeError(f"{answer['error']['data']['code']}: {answer['error']['message']}")
    return answer["result"]


session = call("session.create", command=["python3", "-q"])["session"]
call("session.wait", session=session, text=">>>")
call("session.type", session=session, text="sum(range(10))", enter=True)
waited = call("session.wait", session=session, regex=r"^\d+$", after_input=True)
print(waited["match"]["text"])
call("session.destroy", session=session)
