"""nul, big, unicode: what crosses as text."""

from __future__ import annotations

import gputide
from gputide import Credential, File, Options, Pod, Policy, Runtime, Scaler, Series, Token, check_manifest, values

from .support import NOW_MS, Case, scaled_object

BEYOND_BMP = "\N{ROCKET}\U00020000"


class Nul(Case):
    def test_nul_in_a_manifest_is_the_librarys_to_refuse(self) -> None:
        with self.assertRaises(gputide.Invalid) as caught:
            Policy("kind: ScaledObject\nmetadata: {name: \0}")
        self.assertIn(":2", caught.exception.where)

    def test_nul_in_a_name_a_path_or_a_scope_never_reaches_c(self) -> None:
        credential = Credential(
            "provider: azure-workload",
            Options(allow_environment=True),
        )
        with credential, Runtime() as runtime, Series() as series:
            for cut in (
                lambda: Policy(scaled_object(), Options(scaler="de\0mo")),
                lambda: Policy(scaled_object(), Options(ca_file="/etc\0/ca")),
                lambda: Policy(scaled_object(), Options(files=[File("", name="a\0b")])),
                lambda: credential.token("https://a\0b"),
                lambda: runtime.find("a\0b"),
                lambda: Pod("a\0b")._filled(),
                lambda: series.read("time,value\n", scaler="a\0b"),
            ):
                with self.assertRaisesRegex(ValueError, "NUL"):
                    cut()
            with self.assertRaisesRegex(ValueError, "comma"):
                Policy(scaled_object(), Options(allowed_programs=["az,sh"]))
            with self.assertRaisesRegex(TypeError, "a list"):
                Policy(scaled_object(), Options(allowed_token_hosts="example.com"))


class Big(Case):
    def test_a_manifest_of_10_mib_is_beyond_the_limit(self) -> None:
        with self.assertRaises((gputide.LimitExceeded, gputide.Invalid)) as caught:
            Policy("# " + "x" * (10 << 20))
        self.assertIn("at most 1048576", caught.exception.message)

    def test_a_series_of_10_mib_goes_through_whole(self) -> None:
        lines = [f"{NOW_MS + index * 1000},{index % 100}.25" for index in range(550_000)]
        text = "time,value\n" + "\n".join(lines) + "\n"
        self.assertGreater(len(text), 10 << 20)
        with Series() as series:
            series.read(text)
            self.assertEqual(series.describe().data["points"], len(lines))
            self.assertEqual(series.write().count("\n"), len(lines) + 1)


class Unicode(Case):
    def test_texts_beyond_the_bmp_come_back_the_same(self) -> None:
        trigger = {"type": "values", "name": BEYOND_BMP, "metadata": {"threshold": "5"}}
        with Policy(scaled_object(triggers=[trigger])) as policy:
            self.assertEqual(policy.metrics, (BEYOND_BMP,))
            self.assertIn(BEYOND_BMP, policy.describe())
            with policy.new_state() as state:
                report = state.decide(current=3, samples=[42.5], now=NOW_MS, report=True)
            self.assertIn(BEYOND_BMP, report.explain())

    def test_a_text_that_was_cut_decodes(self) -> None:
        with self.assertRaises(gputide.Invalid) as caught:
            Policy(scaled_object(triggers=[{"type": BEYOND_BMP * 2000, "metadata": {}}]))
        caught.exception.message.encode("utf-8")
        self.assertNotIn("\ufffd", caught.exception.message)

    def test_a_lone_surrogate_is_refused(self) -> None:
        for refused in (lambda: Policy("\ud800"), lambda: Policy(scaled_object(), Options(scaler="\udc00"))):
            with self.assertRaises(UnicodeEncodeError):
                refused()

    def test_bytes_are_taken_as_they_are(self) -> None:
        self.assertTrue(check_manifest(scaled_object().encode()).ok)
        with self.assertRaises(gputide.Invalid):
            Scaler(b"\xff\xfe")


class Values(Case):
    def test_a_token_does_not_show_itself(self) -> None:
        token = Token("secret", None, None, None)
        self.assertEqual(token.value, "secret")
        self.assertNotIn("secret", repr(token) + str(token) + f"{token}")

    def test_every_option_reaches_its_member(self) -> None:
        plain = {name: f"/{name}" for name in values._PLAIN_OPTIONS}
        lists = {name: [name, "b"] for name in values._LIST_OPTIONS}
        raw = Options(**plain, **lists, ca_pem="pem\0", files=[File("text", "name")])._filled()  # type: ignore[arg-type]
        for name in plain:
            self.assertEqual(getattr(raw, name), f"/{name}".encode())
        for name in lists:
            self.assertEqual(getattr(raw, name), f"{name},b".encode())
        self.assertEqual((raw.ca_pem_bytes, raw.file_count, raw.files[0].name, raw.files[0].size_bytes), (4, 1, b"name", 4))
        known = {name for name, _ in gputide._abi.gputide_options._fields_}
        said = {*plain, *lists, "struct_size", "flags", "ca_pem", "ca_pem_bytes", "files", "file_count", "file_size"}
        self.assertEqual(known, said)

    def test_each_flag_is_a_member(self) -> None:
        flags = [Options(**{name: True})._flags for name in list(Options.__dataclass_fields__)[:6]]
        self.assertEqual(flags, [1, 2, 4, 8, 16, 32])

    def test_durations_are_rounded_up_and_clamped(self) -> None:
        from datetime import timedelta

        from gputide._time import duration_ms

        cases = [(0, 0), (0.0001, 1), (0.001, 1), (5, 5000), (timedelta(seconds=1.5), 1500), (1e12, 2**31 - 1)]
        self.assertEqual([duration_ms(value) for value, _ in cases], [ms for _, ms in cases])
        for wrong in (-1, float("nan")):
            with self.assertRaises(ValueError):
                duration_ms(wrong)

    def test_quantities_and_claims(self) -> None:
        self.assertEqual([gputide.quantity(name) for name in ("1500m", "2Ki", "0.1")], [1500, 2_048_000, 100])
        with self.assertRaises(gputide.Protocol):
            gputide.token_claims("no token")
        self.assertEqual(gputide.token_claims("eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x").data["sub"], "me")
