"""A client of the real API server, for what a test does to the cluster and looks at in it: plain HTTPS and JSON."""
from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from typing import Any

Object = dict[str, Any]
TIMEOUT_S = 30


class Refused(Exception):
    """An answer that is not a 2xx."""

    def __init__(self, code: int, body: str) -> None:
        super().__init__(f"HTTP {code}: {body[:600]}")
        self.code = code


def path_of(api_version: str, plural: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    out = ("/apis/" if "/" in api_version else "/api/") + api_version
    if namespace:
        out += f"/namespaces/{namespace}"
    out += f"/{plural}"
    for part in (name, subresource):
        if part:
            out += f"/{part}"
    return out


class ApiClient:
    def __init__(self, server: str, ca: str, token: str) -> None:
        self.server, self.token = server, token
        context = ssl.create_default_context(cafile=ca)
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))

    def ask(self, method: str, path: str, body: Object | None = None, content_type: str = "application/json") -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": "application/json"}
        request = urllib.request.Request(self.server + path, method=method, headers=headers,
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with self.opener.open(request, timeout=TIMEOUT_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                raise Refused(refused.code, refused.read().decode(errors="replace")) from None
        return json.loads(text) if text.startswith(("{", "[")) else text

    def get(self, *where: str) -> Object:
        out: Object = self.ask("GET", path_of(*where))
        return out

    def find(self, *where: str) -> Object | None:
        """None: it is not there."""
        try:
            return self.get(*where)
        except Refused as why:
            if why.code != 404:
                raise
            return None

    def create(self, plural: str, given: Object) -> Object:
        out: Object = self.ask("POST", path_of(given["apiVersion"], plural, given["metadata"].get("namespace", "")), given)
        return out

    def patch(self, change: Object, *where: str) -> Object:
        """A merge patch: what is None goes away."""
        out: Object = self.ask("PATCH", path_of(*where), change, "application/merge-patch+json")
        return out

    def delete(self, *where: str) -> None:
        """Does not wait for what hangs on it."""
        self.ask("DELETE", path_of(*where), {"propagationPolicy": "Background"})
