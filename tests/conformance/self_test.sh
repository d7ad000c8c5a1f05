#!/bin/sh
# The runner's own test: what it must say of good, wrong and unusable files, and of programs that break the protocol.
# Usage: self_test.sh RUNNER PROGRAM, PROGRAM being the one that speaks protocol 1.  Writes its files into a folder of its own and
# removes it.
set -u
runner=$1 program=$2 here=$(cd "$(dirname "$0")" && pwd)
cases=$here/../cases
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
bad=0

# expect NAME EXIT LAST_LINE TEXT ARGUMENTS...: TEXT ("" for none) must be somewhere in the output, errors included.
expect() {
    name=$1 want_exit=$2 want_last=$3 want_text=$4
    shift 4
    "$runner" "$@" >out 2>err
    got_exit=$?
    got_last=$(tail -n 1 out)
    if [ "$got_exit" != "$want_exit" ] || [ "$got_last" != "$want_last" ] || ! cat out err | grep -qF -e "$want_text"; then
        echo "FAIL $name: expected exit $want_exit, last line \"$want_last\", text \"$want_text\"; got exit $got_exit and:"
        sed 's/^/    /' out err
        bad=1
    fi
}

cat >k8s-quantity.good.json <<'END'
{"cases": [
  {"id": "one", "in": "1k", "group": "a", "level": "must", "expect": {"ok": true, "milli": "1000000"}},
  {"id": "two", "in": "1K", "group": "b", "level": "must", "expect": {"ok": false}},
  {"id": "any", "in": ".", "group": "c", "level": "may", "number": 7, "expect_any": [{"ok": true, "milli": "0"}, {"ok": false}]}
]}
END
cat >k8s-quantity.wrong.extra.json <<'END'
{"cases": [
  {"id": "right-unit", "in": "1", "expect": {"ok": true, "milli": "1000"}},
  {"id": "wrong-value", "in": "2", "expect": {"ok": true, "milli": "2001"}},
  {"id": "wrong-outcomes", "in": "3", "expect_any": [{"ok": false}, {"ok": true, "milli": "1"}]},
  {"name": "no-input", "expect": {"ok": true}},
  {"id": "no-expectation", "in": "4"},
  {"in": "x", "expect": {"ok": true}}
]}
END
cat >hpa-replicas.json <<'END'
{"cases": [
  {"name": "exact", "kind": "quantity_milli", "quantity": "9223372036854775807m", "expect": {"milli": 9223372036854775807}},
  {"name": "one off", "kind": "quantity_milli", "quantity": "9223372036854775807m", "expect": {"milli": 9223372036854775806}},
  {"name": "unknown kind", "kind": "no_such_kind", "expect": {}}
]}
END
cat >azure-token.json <<'END'
{"cases": [], "jwt_assertions": {"input_cases": [{"name": "nested case", "pem": "", "expect": "no such outcome"}]}}
END
cp k8s-quantity.good.json no-such-format.json
echo '{"cases": [' >k8s-quantity.cut.json
echo '{"rows": []}' >k8s-quantity.none.json
echo '{"cases": []}' >k8s-quantity.empty.json
mkdir other k8s-quantity.folder.json
echo '{}' >other/k8s-quantity.good.json

expect "all right" 0 "3 passed, 0 failed" "" k8s-quantity.good.json
expect "path before the name" 0 "3 passed, 0 failed" "" ./other/../k8s-quantity.good.json
expect "wrong value" 1 "1 passed, 5 failed" 'wrong-value: milli: expected "2001", got "2000"' k8s-quantity.wrong.extra.json
expect "wrong outcomes" 1 "1 passed, 5 failed" 'wrong-outcomes: outcome 1 of 2: ok: expected false, got true; outcome 2 of 2: milli' \
    k8s-quantity.wrong.extra.json
expect "check throws" 1 "1 passed, 5 failed" "no-input: the check threw: the case has none of in" k8s-quantity.wrong.extra.json
expect "no expectation" 1 "1 passed, 5 failed" "no-expectation: the check threw" k8s-quantity.wrong.extra.json
expect "no name" 1 "1 passed, 5 failed" "cases[5]: ok: expected true, got false" k8s-quantity.wrong.extra.json
expect "sum of files" 1 "4 passed, 5 failed" "" k8s-quantity.good.json k8s-quantity.wrong.extra.json
expect "int64 exact" 1 "1 passed, 2 failed" "one off: milli: expected 9223372036854775806, got 9223372036854775807" hpa-replicas.json
expect "unknown kind" 1 "1 passed, 2 failed" "unknown kind: " hpa-replicas.json
expect "nested cases" 1 "0 passed, 1 failed" "nested case: " azure-token.json

expect "only" 0 "1 passed, 0 failed" "" --only group=a k8s-quantity.good.json
expect "only two values" 0 "2 passed, 0 failed" "" --only group=a,c k8s-quantity.good.json
expect "except" 0 "2 passed, 0 failed" "" --except level=may k8s-quantity.good.json
expect "only and except" 0 "1 passed, 0 failed" "" --only level=must --except group=b k8s-quantity.good.json
expect "both only" 0 "1 passed, 0 failed" "" --only level=must --only group=b k8s-quantity.good.json
expect "number" 0 "1 passed, 0 failed" "" --only number=7 k8s-quantity.good.json
expect "wrong ones filtered out" 0 "1 passed, 0 failed" "" --only id=right-unit k8s-quantity.wrong.extra.json
expect "filter leaves none" 2 "0 passed, 0 failed" "no case to run" --only group=z k8s-quantity.good.json
expect "filter leaves none in one file" 2 "1 passed, 0 failed" "k8s-quantity.wrong.extra.json: no case to run" \
    --only group=a k8s-quantity.good.json k8s-quantity.wrong.extra.json

expect "unknown format" 2 "0 passed, 0 failed" 'unknown format "no-such-format"' no-such-format.json
expect "missing file" 2 "0 passed, 0 failed" "cannot read k8s-quantity.missing.json" k8s-quantity.missing.json
expect "missing beside good" 2 "3 passed, 0 failed" "cannot read" k8s-quantity.missing.json k8s-quantity.good.json
expect "folder" 2 "0 passed, 0 failed" "cannot read" k8s-quantity.folder.json
expect "not JSON" 2 "0 passed, 0 failed" "not JSON" k8s-quantity.cut.json
expect "no cases member" 2 "0 passed, 0 failed" 'no array "cases"' k8s-quantity.none.json
expect "no case" 2 "0 passed, 0 failed" "no case to run" k8s-quantity.empty.json
expect "no file" 2 "" "no file named"
expect "unknown option" 2 "" "unknown option --fast" --fast k8s-quantity.good.json
expect "option without value" 2 "" "--only needs a value" k8s-quantity.good.json --only
expect "filter without value" 2 "" 'got "group"' --only group k8s-quantity.good.json

expect "compare, other version" 0 "3 passed, 0 failed" "note: k8s-quantity.good.json differs from other/k8s-quantity.good.json" \
    --compare other k8s-quantity.good.json
cp k8s-quantity.good.json other/
expect "compare, same" 0 "3 passed, 0 failed" "" --compare other k8s-quantity.good.json
grep -q note err && { echo "FAIL compare, same: a note"; bad=1; }
expect "compare, no folder" 0 "3 passed, 0 failed" "" --compare nowhere k8s-quantity.good.json

# ---- the C API, in this process and as a program
expect "counts" 0 "3 passed, 0 failed" "k8s-quantity.good.json: 3 through the C API, 0 inside" k8s-quantity.good.json
expect "own C API" 0 "3 passed, 0 failed" "libgputide-full.so" k8s-quantity.good.json
expect "through a program" 0 "3 passed, 0 failed" "k8s-quantity.good.json: 3 through the C API, 0 inside" \
    --through "$program" k8s-quantity.good.json
expect "wrong through a program" 1 "1 passed, 5 failed" 'wrong-value: milli: expected "2001", got "2000"' \
    --through "$program" k8s-quantity.wrong.extra.json
expect "through needs a value" 2 "" "--through needs a value" k8s-quantity.good.json --through
expect "no such program" 2 "" "the C API's program has ended" --through "/no/such/program" k8s-quantity.good.json
expect "no hello" 2 "" "wrote no JSON object" --through "echo hello; cat" k8s-quantity.good.json
expect "another protocol" 2 "" "expected a hello of protocol 1" --through "echo '{\"protocol\":2}'; cat" k8s-quantity.good.json
expect "program fails at the end" 2 "3 passed, 0 failed" "ended with exit status 3" \
    --through "\"$program\"; exit 3" k8s-quantity.good.json
expect "program ends early" 1 "0 passed, 3 failed" "the C API's program has ended" \
    --through "echo '{\"protocol\":1,\"calls\":[\"quantity\"]}'; read -r line" k8s-quantity.good.json

# A program that says of each case what its first argument holds.
cat >fake-program <<'END'
#!/bin/sh
echo '{"protocol":1,"binding":"fake","version":"0","abi":1,"library":"none","calls":["'"$2"'"]}'
while read -r line; do echo "{\"case\":\"one\",$1}"; done
END
chmod +x fake-program
fake() { printf "./fake-program '%s' %s" "$1" "${2:-quantity}"; }
only_one="--only id=one k8s-quantity.good.json"
# shellcheck disable=SC2086
{
expect "right answer" 0 "1 passed, 0 failed" "" --through "$(fake '"results":[{"milli":1000000}],"alive":0')" $only_one
expect "unknown call" 1 "0 passed, 1 failed" 'the program does not know the call "quantity"' \
    --through "$(fake '"results":[{"milli":1000000}],"alive":0' decide)" $only_one
expect "a handle alive" 1 "0 passed, 1 failed" "1 handles are alive" \
    --through "$(fake '"results":[{"milli":1000000}],"alive":1')" $only_one
expect "too few results" 1 "0 passed, 1 failed" "expected 1 results, got 0" \
    --through "$(fake '"results":[],"alive":0')" $only_one
expect "a fault" 1 "0 passed, 1 failed" "no such argument" \
    --through "$(fake '"fault":"no such argument","results":[],"alive":0')" $only_one
expect "another case" 1 "0 passed, 1 failed" "it answers another case: one" \
    --through "$(fake '"results":[{"milli":2000}],"alive":0')" --only id=any k8s-quantity.good.json
}

# ---- the exchange that docs/conformance.md shows
exchange=$here/../../docs/conformance.md
# A decision's id differs from run to run: it holds the state's own random value.
mask_ids() { sed -E 's/"id":[0-9]+/"id":0/g'; }
sed -n 's/^→ //p' "$exchange" | "$program" | tail -n +2 | mask_ids >said
sed -n 's/^← //p' "$exchange" | mask_ids >documented
if ! [ -s documented ] || ! cmp -s said documented; then
    echo "FAIL documented exchange:"
    diff documented said
    bad=1
fi

# ---- every expectation counts, whichever way the cases are asked
for options in "" "-- --through $program"; do
    # shellcheck disable=SC2086
    python3 "$here/mutations_test.py" "$runner" "$cases"/*.json $options || { echo "FAIL mutations $options"; bad=1; }
done

[ $bad = 0 ] && echo "the runner's own test passed"
exit $bad
