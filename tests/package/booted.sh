# Checks what is asked of gputided.service in a Debian that has booted with it enabled; run by run.sh there.
set -eu

fail() { echo "booted: $*"; systemctl status gputided --no-pager || true; journalctl -u gputided --no-pager || true; exit 1; }
is() { [ "$(systemctl show -p "$1" --value gputided)" = "$2" ] || fail "$1 is $(systemctl show -p "$1" --value gputided), not $2"; }
wait_for() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        if journalctl -u gputided --no-pager | grep -q "$1"; then return; fi
        sleep 1
    done
    fail "no line of the journal has $1"
}

write_manifest() {
    cat >"/etc/gputide/$1.yaml" <<MANIFEST
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: $1, namespace: ml}
spec:
  scaleTargetRef: {name: $1}
  triggers: [{type: cron, metadata: {timezone: Europe/Berlin, start: 0 0 * * *, end: 59 23 * * *, desiredReplicas: "3"}}]
MANIFEST
}

is ConditionResult no  # no manifest yet: skipped, not failed
is ActiveState inactive
write_manifest night
systemctl start gputided
is ActiveState active
wait_for '"name":"night"'

status=/proc/$(systemctl show -p MainPID --value gputided)/status
grep -q '^NoNewPrivs:[[:space:]]*1' "$status" || fail "it may gain privileges"
grep -q '^Seccomp:[[:space:]]*2' "$status" || fail "it may make every system call"
! grep -q '^Uid:[[:space:]]*0' "$status" || fail "it runs as root"
[ -s /var/lib/gputided/state ] || fail "it keeps no state"

write_manifest day  # found without a word
wait_for '"name":"day"'
systemctl reload gputided || fail "it was not to be reloaded"
is ActiveState active
systemctl restart gputided
is ActiveState active
! journalctl -u gputided --no-pager | tail -n 3 | grep -q 'no history' || fail "after a restart it has no history"

sed -i 's/--dry-run/--no-such-option/' /etc/default/gputided
systemctl restart gputided 2>/dev/null || true
is Result exit-code
is NRestarts 0  # a bad option is not tried again and again
systemctl stop gputided
echo 'booted: all well'
