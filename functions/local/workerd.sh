#!/bin/sh
# Starts workerd so that it never outlives the server that asked for it. A server that is killed outright cannot tell
# its workerd, which would then keep the port, the database and the alarms. Three measures, as the machine allows:
#   1. Linux kills workerd at the moment its parent dies (setpriv, part of util-linux).
#   2. Elsewhere a watcher looks once a second whether the parent is still there.
#   3. The process id and start time are left in $KUBEGC_WORKERD_RECORD before workerd opens anything, for the next start.
# exec keeps the process id, so the server's own kill reaches workerd itself.
set -eu

# A terminal sends Ctrl-C to every process in front of it. The server decides when workerd ends.
trap '' INT HUP

if [ -r "/proc/$$/stat" ]; then
  read -r stat <"/proc/$$/stat"
  # shellcheck disable=SC2086  # the fields are meant to be split; the 22nd is the start time
  started=$(set -- $stat; shift 21; echo "$1")
else
  started=$(LC_ALL=C ps -o lstart= -p $$)
fi
echo "$$ $started" >"$KUBEGC_WORKERD_RECORD"

if setpriv --pdeathsig KILL true 2>/dev/null; then
  exec setpriv --pdeathsig KILL "$KUBEGC_WORKERD" "$@"
fi

server=$PPID
workerd=$$
(
  exec <&- >/dev/null 2>&1 3>&-
  while kill -0 "$server" && kill -0 "$workerd"; do sleep 1; done
  kill -9 "$workerd"
) &
exec "$KUBEGC_WORKERD" "$@"
