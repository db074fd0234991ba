"""Drives a session through a gateway ("transom serve") with nothing but Python's standard library."""

import json
import os
import urllib.error
import urllib.request

url = os.environ.get("TRANSOM_URL", "http://127.0.0.1:7317")
token = os.environ["TRANSOM_TOKEN"]  # "transom token create" makes one


def call(operation, **params):
    request = urllib.request.Request(
        f"{url}/v1/{operation}",
        data=json.dumps(params).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        error = json.load(refused)["error"]
        raise RuntimeError(f"{error['code']}: {error['message']}") from None


session = call("session.create", command=["sh", "-c", "echo ready; cat"])["session"]
call("session.wait", session=session, text="ready")
call("session.type", session=session, text="through the gateway", enter=True)
waited = call("session.wait", session=session, text="through the gateway")
print(waited["match"]["line"])
call("session.destroy", session=session)
