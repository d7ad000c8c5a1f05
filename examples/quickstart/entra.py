"""The rules of the token exchange: what Entra checks, in which order, and what it says when something differs.

In: the parts of one request, the registration, the time.  Out: claims of the new access token, or a Refusal with the
AADSTS number, OAuth word and status that the real service uses (learn.microsoft.com/entra/identity-platform/
reference-error-codes; 700211 to 700213 as seen in public reports).  No I/O but reading public keys through openssl.
"""
from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jws

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
EXCHANGE_AUDIENCE = "api://AzureADTokenExchange"
RESOURCE = "https://prometheus.monitor.azure.com"
SCOPE = f"{RESOURCE}/.default"


@dataclass(frozen=True)
class Registration:
    """One tenant, one identity in it, one federated credential of that identity."""

    tenant: str
    client_id: str
    issuer: str
    subject: str
    issuer_key: Path  # PEM, public


class Refusal(Exception):
    """A request turned down, with everything the error answer needs but ids and time."""

    def __init__(self, number: int, error: str, status: int, text: str) -> None:
        super().__init__(f"AADSTS{number}: {text}")
        self.number, self.error, self.status = number, error, status


def access_claims(tenant: str, form: dict[str, str], known: Registration, lifetime_s: int, now_s: int) -> dict[str, Any]:
    """Checks one token request; the claims of the access token to hand out (Entra's v1.0 form)."""
    _check_tenant(tenant, known)
    _check_form(form, known)
    _check_assertion(form["client_assertion"], known, now_s)
    return {
        "aud": RESOURCE, "iss": f"https://sts.windows.net/{known.tenant}/",
        "iat": now_s, "nbf": now_s, "exp": now_s + lifetime_s,
        "appid": known.client_id, "appidacr": "2", "idtyp": "app", "tid": known.tenant,
        "uti": uuid.uuid4().hex[:22], "ver": "1.0",
    }


def _check_tenant(tenant: str, known: Registration) -> None:
    if tenant.lower() != known.tenant.lower():
        raise Refusal(90002, "invalid_request", 400, f"Tenant '{tenant}' not found. Check to make sure you have the "
                      "correct tenant ID and are signing into the correct cloud.")


def _check_form(form: dict[str, str], known: Registration) -> None:
    for field in ("grant_type", "client_id", "scope"):
        if not form.get(field):
            raise Refusal(900144, "invalid_request", 400, f"The request body must contain the following parameter: '{field}'.")
    if form["grant_type"] != "client_credentials":
        raise Refusal(70003, "unsupported_grant_type", 400, "The app requested an unsupported grant type "
                      f"'{form['grant_type']}'.")
    if "resource" in form:
        raise Refusal(901002, "invalid_request", 400, "The 'resource' request parameter isn't supported.")
    if form["client_id"].lower() != known.client_id.lower():
        raise Refusal(700016, "unauthorized_client", 400, f"Application with identifier '{form['client_id']}' was not found "
                      f"in the directory '{known.tenant}'.")
    if form["scope"] != SCOPE:
        raise Refusal(70011, "invalid_scope", 400, "The provided value for the input parameter 'scope' is not valid. The "
                      f"scope {form['scope']} is not valid.")
    if form.get("client_assertion_type") != ASSERTION_TYPE or not form.get("client_assertion"):
        raise Refusal(7000218, "invalid_client", 401, "The request body must contain the following parameter: "
                      "'client_assertion' or 'client_secret'.")


def _check_assertion(text: str, known: Registration, now_s: int) -> None:
    try:
        assertion = jws.parse(text)
    except jws.NotAToken:
        raise Refusal(50027, "invalid_request", 400, "JWT token is invalid or malformed.") from None
    claims = assertion.claims
    audiences = claims.get("aud") if isinstance(claims.get("aud"), list) else [claims.get("aud")]
    _match(700211, "issuer", claims.get("iss"), known.issuer)
    _match(700212, "audience", EXCHANGE_AUDIENCE if EXCHANGE_AUDIENCE in audiences else audiences[:1], EXCHANGE_AUDIENCE)
    _match(700213, "subject", claims.get("sub"), known.subject)
    if not jws.verified(assertion, known.issuer_key):
        raise Refusal(700027, "invalid_client", 401, "The certificate with identifier used to sign the client assertion is not "
                      "registered on application, or the signature is not valid.")
    _check_times(claims.get("nbf"), claims.get("exp"), now_s)


def _match(number: int, what: str, presented: Any, expected: str) -> None:
    if presented != expected:
        shown = presented[0] if isinstance(presented, list) and presented else presented
        raise Refusal(number, "invalid_client", 401, "No matching federated identity record found for presented assertion "
                      f"{what} '{shown}'. Check your federated identity credential Subject, Audience and Issuer against the "
                      "presented assertion.")


def _check_times(begin: Any, end: Any, now_s: int) -> None:
    if type(begin) is not int or type(end) is not int:
        raise Refusal(50027, "invalid_request", 400, "JWT token is invalid or malformed.")
    if not begin - 300 <= now_s < end:  # clocks may differ by five minutes; an expiry is an expiry
        raise Refusal(700024, "invalid_client", 401, "Client assertion is not within its valid time range. Current time: "
                      f"{_instant(now_s)}, assertion valid from {_instant(begin)}, expiry time of assertion {_instant(end)}.")


def _instant(seconds: int) -> str:
    if not 0 <= seconds < 253_402_300_800:  # year 10000
        return f"{seconds} s"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def error_answer(refusal: Refusal, correlation_id: str, now_s: int) -> dict[str, Any]:
    """The body of a refusal; correlation_id repeats the caller's client-request-id."""
    stamp, trace_id = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(now_s)), str(uuid.uuid4())
    return {
        "error": refusal.error,
        "error_description": f"{refusal}\r\nTrace ID: {trace_id}\r\nCorrelation ID: {correlation_id}\r\nTimestamp: {stamp}",
        "error_codes": [refusal.number], "timestamp": stamp, "trace_id": trace_id, "correlation_id": correlation_id,
        "error_uri": f"https://login.microsoftonline.com/error?code={refusal.number}",
    }


def bearer_fault(text: str, signing_key: Path, now_s: int) -> str:
    """Returns what a query endpoint finds wrong with an access token; "" for a good one."""
    try:
        token = jws.parse(text)
    except jws.NotAToken:
        return "The access token is not a JWT"
    if not jws.verified(token, signing_key):
        return "The signature of the access token is not valid"
    if token.claims.get("aud") not in (RESOURCE, f"{RESOURCE}/"):
        return "The access token has the wrong audience"
    if now_s >= token.claims.get("exp", 0):
        return "The access token has expired"
    return ""
