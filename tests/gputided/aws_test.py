"""Requests that are signed for AWS, checked by a verifier of Signature Version 4 that knows nothing of gputide or libcurl;
and the services of AWS and Google that give the keys and tokens, as stand-ins on loopback."""
from __future__ import annotations

import hashlib
import hmac
import json
import time
import unittest
from typing import Any
from urllib.parse import parse_qs, quote, unquote

import harness
import manifests
from fault_server import Connection, FaultServer, vector
from harness import Ran, gputided
from identity_test import ACCESS_TOKEN, trigger_authentication

KEY_ID, SECRET, SESSION = "ASIAEXAMPLE", harness.PASSWORD, harness.BEARER
ASSERTION = ".".join([harness.segment('{"alg":"RS256"}'), harness.segment('{"sub":"gpu"}'), harness.ASSERTION_SIGNATURE])
QUERY = 'avg by (pod) (rate(up{job=~"a b|c+d"}[5m])) * 100 % 7'


def verify(request: str, secret: str, region: str, service: str) -> str:
    """"" where the signature is right (AWS General Reference, "Create a signed AWS API request"), else what is wrong."""
    head, _, body = request.partition("\r\n\r\n")
    lines = head.split("\r\n")
    method, target, _ = lines[0].split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    authorization = headers.get("authorization", "")
    if not authorization.startswith("AWS4-HMAC-SHA256 "):
        return f"no signature: {lines[0]}"
    fields = dict(part.strip().split("=", 1) for part in authorization.removeprefix("AWS4-HMAC-SHA256 ").split(","))
    key_id, day, *scope = fields["Credential"].split("/")
    if (key_id, scope) != (KEY_ID, [region, service, "aws4_request"]):
        return f"the credential is {fields['Credential']}"
    if abs(time.mktime(time.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ")) - time.timezone - time.time()) > 300:
        return f"the date is {headers['x-amz-date']}"
    signed = fields["SignedHeaders"].split(";")
    if "host" not in signed or signed != sorted(signed) or ("x-amz-security-token" in headers) > ("x-amz-security-token" in signed):
        return f"signed are {signed}"
    path, _, query = target.partition("?")
    pairs = sorted(tuple(quote(unquote(part), safe="-_.~") for part in (piece.split("=", 1) + [""])[:2])
                   for piece in query.split("&") if piece)
    canonical = "\n".join([method, quote(path, safe="/-_.~"), "&".join("=".join(pair) for pair in pairs),
                           *(f"{name}:{headers[name]}" for name in signed), "", ";".join(signed),
                           hashlib.sha256(body.encode()).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", headers["x-amz-date"], f"{day}/{region}/{service}/aws4_request",
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    right = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return "" if hmac.compare_digest(right, fields["Signature"]) else f"the signature is wrong for\n{canonical}"


class Clouds(unittest.TestCase):
    def setUp(self) -> None:
        self.server = FaultServer()
        self.wrong: list[str] = []
        self.session = SESSION
        self.forms: list[dict[str, list[str]]] = []
        self.server.faults.update(amp=self.amp, sts=self.sts, keys=self.keys, computeMetadata=self.google, gmp=self.gmp)

    def tearDown(self) -> None:
        self.server.__exit__()

    def amp(self, to: Connection, request: str) -> None:
        why = verify(request, SECRET, "eu-west-1", "aps")
        if self.session and f"x-amz-security-token: {self.session}\r\n" not in request.lower():
            why = why or "the session's token is missing"
        query = parse_qs(request.split(" ")[1].partition("?")[2] or request.partition("\r\n\r\n")[2])
        if query.get("query") != [QUERY]:
            why = why or f"the query came as {query}"
        if why:
            self.wrong.append(why)
        to.answer(vector("10") if not why else '{"message":"no"}', "403 Forbidden" if why else "200 OK")

    def sts(self, to: Connection, request: str) -> None:
        form = parse_qs(request.partition("\r\n\r\n")[2])
        self.forms.append(form)
        action = form["Action"][0]
        if action == "AssumeRole" and (why := verify(request, SECRET, "eu-west-1", "sts")):
            self.wrong.append(why)
        keys = {"AccessKeyId": KEY_ID, "SecretAccessKey": SECRET, "SessionToken": SESSION, "Expiration": time.time() + 3600}
        to.answer(json.dumps({f"{action}Response": {f"{action}Result": {"Credentials": keys}}}))

    def keys(self, to: Connection, request: str) -> None:
        allowed = f"Authorization: {harness.HEADER_VALUE}\r\n" in request
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
        to.answer(json.dumps({"AccessKeyId": KEY_ID, "SecretAccessKey": SECRET, "Token": SESSION, "Expiration": until}),
                  "200 OK" if allowed else "403 Forbidden")

    def google(self, to: Connection, request: str) -> None:
        asked = "Metadata-Flavor: Google\r\n" in request and "monitoring.read" in request
        to.answer(json.dumps({"access_token": ACCESS_TOKEN, "expires_in": 3599}), "200 OK" if asked else "403 Forbidden",
                  "Metadata-Flavor: Google")

    def gmp(self, to: Connection, request: str) -> None:
        allowed = f"Authorization: Bearer {ACCESS_TOKEN}\r\n" in request
        to.answer(vector("10") if allowed else "{}", "200 OK" if allowed else "401 Unauthorized")

    def eval(self, path: str, documents: list[dict[str, Any]], metadata: dict[str, str], **env: str) -> Ran:
        so = manifests.scaled_object(self.server.url(path), auth="identity" if documents else "", query=QUERY, metadata=metadata)
        file = manifests.saved("cloud.yaml", so, *documents)
        allowed = [word for name in ("K", "S", "G", "F") for word in ("--allow-env", name)]
        return gputided("eval", "-f", file, "--current", "1", "--output", "json", *allowed, env=env)

    def works(self, ran: Ran) -> None:
        self.assertEqual((ran.status, self.wrong), (0, []), ran)
        self.assertEqual(ran.json["trace"][0]["value"], 10, ran)

    AWS = {"awsRegion": "eu-west-1"}

    def test_keys_of_a_trigger_with_and_without_a_session(self) -> None:
        parameters = {"awsAccessKeyID": KEY_ID, "awsSecretAccessKey": SECRET, "awsSessionToken": SESSION}
        self.works(self.eval("amp", trigger_authentication("aws", **parameters), self.AWS))
        self.works(self.eval("amp", manifests.authentication("identity", **parameters), self.AWS))
        del parameters["awsSessionToken"]
        self.session = ""
        self.works(self.eval("amp", trigger_authentication("aws", **parameters), self.AWS))
        self.works(self.eval("amp", [], {**self.AWS, "awsAccessKeyIDFromEnv": "K", "awsSecretAccessKeyFromEnv": "S"},
                             K=KEY_ID, S=SECRET))

    def test_a_form_and_headers_of_the_manifest_are_signed_too(self) -> None:
        keys = trigger_authentication("aws", awsAccessKeyID=KEY_ID, awsSecretAccessKey=SECRET, awsSessionToken=SESSION)
        more = {"customHeaders": "X-B=two words,X-A=1", "queryParameters": "z=1,a=x y", "namespace": "n"}
        self.works(self.eval("amp", keys, {**self.AWS, **more}))
        self.works(self.eval("amp", keys, {**self.AWS, **more, "gputide.io/http-method": "POST"}))

    def test_the_verifier_sees_a_wrong_secret(self) -> None:
        wrong = trigger_authentication("aws", awsAccessKeyID=KEY_ID, awsSecretAccessKey="other", awsSessionToken=SESSION)
        ran = self.eval("amp", wrong, self.AWS)
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("E_FORBIDDEN", ran.err)
        self.assertIn("the signature is wrong", self.wrong[0])

    def test_the_process_s_own_identity(self) -> None:
        pod = trigger_authentication("aws")
        self.works(self.eval("amp", pod, self.AWS, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_SESSION_TOKEN=SESSION))
        eks = {"AWS_ROLE_ARN": "arn:aws:iam::1:role/a", "AWS_WEB_IDENTITY_TOKEN_FILE": harness.write("eks-token", ASSERTION),
               "AWS_ENDPOINT_URL_STS": self.server.url("sts")}
        self.works(self.eval("amp", pod, self.AWS, **eks))
        self.assertEqual((self.forms[-1]["WebIdentityToken"], self.forms[-1]["RoleArn"]), ([ASSERTION], [eks["AWS_ROLE_ARN"]]))
        container = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": self.server.url("keys"),
                     "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": harness.write("container-token", harness.HEADER_VALUE)}
        self.works(self.eval("amp", pod, self.AWS, **container))
        role = trigger_authentication("aws")
        role[0]["spec"]["podIdentity"]["roleArn"] = "arn:aws:iam::1:role/b"
        self.works(self.eval("amp", role, self.AWS, AWS_ENDPOINT_URL_STS=self.server.url("sts"), **container))
        self.assertEqual((self.forms[-1]["Action"], self.forms[-1]["RoleArn"]), (["AssumeRole"], ["arn:aws:iam::1:role/b"]))
        self.works(self.eval("amp", [], {**self.AWS, "identityOwner": "operator"}, **container))

    def test_where_it_is_not_signed(self) -> None:
        pod = trigger_authentication("aws")
        keys = {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}
        ran = self.eval("amp", pod, {}, **keys)
        self.assertEqual(ran.status, 2, ran)
        self.assertIn("awsRegion", ran.err)
        so = manifests.scaled_object("https://aps-workspaces.elsewhere.invalid", auth="identity", metadata=self.AWS)
        ran = gputided("eval", "-f", manifests.saved("cloud.yaml", so, *pod), "--current", "1", env=keys)
        self.assertEqual(ran.status, 3, ran)
        self.assertIn("is not sent to host aps-workspaces.elsewhere.invalid", ran.err)

    def test_keys_as_a_token(self) -> None:
        env = {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": SECRET}
        ran = gputided("token", "--credential", "provider: aws", "--output", "json", env=env)
        self.assertEqual((ran.status, ran.json["claims"]), (0, None), ran)

    def test_google(self) -> None:
        metadata = {"GCE_METADATA_HOST": f"127.0.0.1:{self.server.port}"}
        self.works(self.eval("gmp", trigger_authentication("gcp"), {}, **metadata))
        key = json.dumps({"type": "authorized_user", "refresh_token": harness.SECRET_DATA})
        for documents, more, env in (
                (manifests.authentication("identity", GoogleApplicationCredentials=key), {}, {}),
                ([], {"credentialsFromEnv": "G"}, {"G": key}),
                ([], {"credentialsFromEnvFile": "F"}, {"F": harness.write("google.json", key)})):
            ran = self.eval("gmp", documents, more, **env)
            self.assertEqual(ran.status, 2, ran)
            self.assertIn('type "authorized_user" is not supported', ran.err)
