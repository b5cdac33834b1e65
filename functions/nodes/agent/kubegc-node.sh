#!/bin/sh
# kubegc-node tells kubegc what the container runtime of this node holds, and removes what kubegc answers is garbage.
#
# usage: kubegc-node.sh [--once] [--dry-run]
#   --once      report once, do what is due, end; otherwise go on for ever
#   --dry-run   print what would be removed, remove nothing, end
#
# It needs crictl, curl, and what every POSIX system has. It removes nothing that the runtime shows in use, runs nothing
# that it is sent, and takes ids only, never names, patterns or paths.
#
# environment
#   KUBEGC_URL             the cluster, such as https://kubegc.example/clusters/acme
#   KUBEGC_TOKEN           a token of that cluster with the role "node"; or KUBEGC_TOKEN_FILE, a file that holds it
#   KUBEGC_NODE            the node's name; the host's name, in lower case, unless set
#   CRICTL                 how crictl is called: "crictl" unless set; may be several words, such as "k3s crictl"
#   KUBEGC_STATE           own folder: /run/kubegc-node, which is in memory and so can be written to when the disk is full
#   KUBEGC_KUBELET_ROOT    /var/lib/kubelet
#   KUBEGC_POD_LOGS        /var/log/pods
#   KUBEGC_CONTAINER_LOGS  /var/log/containers
#   KUBEGC_TIMEOUT         seconds for one request: 60
#   KUBEGC_TRIES           how often a request is tried: 4
#
# ends with 0 when all went well; 1 when a removal failed; 2 when it is set up wrongly; 69 when the service cannot be
# reached; 70 when its answer was refused; 74 when the runtime cannot be asked; 75 when another run is going on; 77 when the
# token is refused.

set -u
set -f
umask 077
LC_ALL=C
export LC_ALL

# Filled in when kubegc serves this file.
served_url=''

NAME=kubegc-node
EXIT_FAILED_STEP=1 EXIT_USAGE=2 EXIT_UNREACHABLE=69 EXIT_REFUSED=70 EXIT_RUNTIME=74 EXIT_BUSY=75 EXIT_TOKEN=77

# A plan may lead to another: containers first, then the images that they used. More rounds are left for the next run.
ROUNDS=5
# Seconds for which a look at containers counts before an image is removed.
LOOK=10
LONGEST_PLAN=16777216

say() { printf '%s: %s\n' "$NAME" "$*"; }
warn() { printf '%s: %s\n' "$NAME" "$*" >&2; }
stop_with() {
  code=$1
  shift
  warn "$*"
  exit "$code"
}

# ---------------------------------------------------------------------------------------------------- settings

once=no dry_run=no
for argument in "$@"; do
  case $argument in
    --once) once=yes ;;
    --dry-run) dry_run=yes once=yes ;;
    -h | --help)
      printf 'usage: kubegc-node.sh [--once] [--dry-run]\nKUBEGC_URL, KUBEGC_TOKEN, KUBEGC_NODE and CRICTL are read from the environment.\n'
      exit 0
      ;;
    *) stop_with "$EXIT_USAGE" "unknown argument $argument; usage: kubegc-node.sh [--once] [--dry-run]" ;;
  esac
done

# is_made_of CHARACTERS TEXT: TEXT is not empty and holds nothing else. CHARACTERS is the inside of a bracket pattern.
is_made_of() {
  case $2 in
    '') return 1 ;;
    *[!$1]*) return 1 ;;
  esac
  return 0
}

is_count() { is_made_of 0-9 "$1" && [ "${#1}" -le 9 ]; }

url=${KUBEGC_URL:-$served_url}
url=${url%/}
case $url in
  http://?* | https://?*) ;;
  '') stop_with "$EXIT_USAGE" "KUBEGC_URL is not set" ;;
  *) stop_with "$EXIT_USAGE" "KUBEGC_URL must be an http or https URL" ;;
esac
is_made_of 'A-Za-z0-9.:/_~%[\]-' "$url" || stop_with "$EXIT_USAGE" "KUBEGC_URL holds a character that is not taken"

token=${KUBEGC_TOKEN:-}
if [ -z "$token" ] && [ -n "${KUBEGC_TOKEN_FILE:-}" ]; then
  [ -r "$KUBEGC_TOKEN_FILE" ] || stop_with "$EXIT_USAGE" "KUBEGC_TOKEN_FILE cannot be read"
  read -r token <"$KUBEGC_TOKEN_FILE" || :
fi
[ -n "$token" ] || stop_with "$EXIT_USAGE" "KUBEGC_TOKEN is not set"
is_made_of 'A-Za-z0-9._~+/=-' "$token" || stop_with "$EXIT_USAGE" "KUBEGC_TOKEN holds a character that no token has"
# No child needs it in its environment.
unset KUBEGC_TOKEN

node=${KUBEGC_NODE:-$(uname -n | tr '[:upper:]' '[:lower:]')}
is_made_of a-z0-9.- "$node" || stop_with "$EXIT_USAGE" "KUBEGC_NODE must be a node's name: lower case letters, digits, - and ."

crictl=${CRICTL:-crictl}
# shellcheck disable=SC2086 # it may be several words
set -- $crictl
command -v "${1:-}" >/dev/null 2>&1 || stop_with "$EXIT_USAGE" "$crictl is not here; set CRICTL"
command -v curl >/dev/null 2>&1 || stop_with "$EXIT_USAGE" "curl is not here"

state=${KUBEGC_STATE:-/run/kubegc-node}
is_made_of 'A-Za-z0-9._/-' "$state" || stop_with "$EXIT_USAGE" "KUBEGC_STATE must be a path of letters, digits, . _ and -"
kubelet_root=${KUBEGC_KUBELET_ROOT:-/var/lib/kubelet}
pod_logs=${KUBEGC_POD_LOGS:-/var/log/pods}
container_logs=${KUBEGC_CONTAINER_LOGS:-/var/log/containers}
request_timeout=${KUBEGC_TIMEOUT:-60}
tries=${KUBEGC_TRIES:-4}
is_count "$request_timeout" || stop_with "$EXIT_USAGE" "KUBEGC_TIMEOUT must be a number of seconds"
is_count "$tries" || stop_with "$EXIT_USAGE" "KUBEGC_TRIES must be a number"

mkdir -p "$state" 2>/dev/null || stop_with "$EXIT_USAGE" "cannot make the folder $state; set KUBEGC_STATE"
[ -w "$state" ] || stop_with "$EXIT_USAGE" "cannot write to the folder $state; set KUBEGC_STATE"
work=$state/work
pending=$state/results

# A runtime that hangs must not hold the lock for ever. Not every system has timeout, nor in this form.
limit=
if timeout 5 true >/dev/null 2>&1; then limit='timeout 180'; fi

# runtime COMMAND…: crictl with these arguments.
runtime() {
  # shellcheck disable=SC2086 # both may be several words
  $limit $crictl "$@" </dev/null
}

# Seconds on a clock that nobody sets, where there is one.
uptime_seconds() {
  if read -r up _ 2>/dev/null </proc/uptime; then printf '%s\n' "${up%%.*}"; else date +%s; fi
}

boot=
if [ -r /proc/sys/kernel/random/boot_id ]; then read -r boot </proc/sys/kernel/random/boot_id || :; fi

# ---------------------------------------------------------------------------------------------------- the lock

lock=$state/lock

# started PID: when the process began, so that another process with its number is told from it; empty when it is gone.
started() {
  if [ -r /proc/self/stat ]; then
    # The name, in parentheses, may hold spaces; the 20th field after it is the start.
    sed -n 's/^.*) //p' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
  elif kill -0 "$1" 2>/dev/null; then
    printf -- '-\n'
  fi
}

me="$$ $(started $$) $boot"

# claim: the lock's folder is there already or was just made; the first to write its owner has it.
claim() { (set -C && printf '%s\n' "$me" >"$lock/owner") 2>/dev/null; }

owner_is_alive() {
  # shellcheck disable=SC2086 # three words
  set -- $1
  is_count "${1:-}" && [ "${3:-}" = "$boot" ] && [ -n "${2:-}" ] && [ "$(started "$1")" = "$2" ]
}

take_lock() {
  if mkdir "$lock" 2>/dev/null; then claim; return; fi
  owner=$(cat "$lock/owner" 2>/dev/null)
  if [ -z "$owner" ]; then
    # Just being made, or left behind by one that died at that moment.
    sleep 1
    owner=$(cat "$lock/owner" 2>/dev/null)
    if [ -z "$owner" ]; then
      mkdir "$lock" 2>/dev/null || :
      claim
      return
    fi
  fi
  owner_is_alive "$owner" && return 1
  # The folder stays, so nobody else can make it; one takes over, and looks again once it alone may.
  if ! mkdir "$lock.over" 2>/dev/null; then
    [ -z "$(find "$lock.over" -prune -mtime +0 2>/dev/null)" ] || rmdir "$lock.over" 2>/dev/null
    return 1
  fi
  taken=1
  if [ "$(cat "$lock/owner" 2>/dev/null)" = "$owner" ]; then
    rm -f "$lock/owner"
    claim && taken=0
  fi
  rmdir "$lock.over"
  return "$taken"
}

have_lock=no
leave_lock() {
  [ "$have_lock" = yes ] || return 0
  have_lock=no
  rm -rf "$work"
  # Another may put its owner there as soon as ours is gone; then the folder stays.
  if [ "$(cat "$lock/owner" 2>/dev/null)" = "$me" ]; then
    rm -f "$lock/owner"
    rmdir "$lock" 2>/dev/null || :
  fi
}
trap leave_lock EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---------------------------------------------------------------------------------------------------- the report

# one_line FILE: what a command complained of, as one short line of plain text. Of structured log lines, the messages: crictl
# says what went wrong first, and last that something did.
one_line() {
  tail -n 3 "$1" | tr '\t\r' '  ' | tr -cd ' -~\n' |
    sed -e '/level=warning/d' -e 's/^.*level=[a-z]* msg="\(.*\)"$/\1/' -e 's/\\"/"/g' |
    awk '{ all = all (NR > 1 ? "; " : "") $0 } END { print all }' | cut -c 1-300
}

# part NAME COMMAND…: what the command prints, as it is, becomes this part of the report.
part() {
  part_name=$1
  shift
  if "$@" >"$work/$part_name" 2>"$work/complaint" && [ -s "$work/$part_name" ]; then return 0; fi
  rm -f "$work/$part_name"
  why=$(one_line "$work/complaint")
  printf 'failed %s %s\n' "$part_name" "${why:-printed nothing}" >>"$work/failures"
  warn "cannot list $part_name: ${why:-nothing was printed}"
}

# usage_of ROLE PATH: what df says of the file system that holds it.
usage_of() {
  [ -e "$2" ] || return 0
  for unit in k i; do
    printf '# %s -%s %s\n' "$1" "$unit" "$2"
    df -P "-$unit" "$2" 2>/dev/null || :
  done
}

mount_points() {
  [ -r "$work/imagefsinfo" ] || return 0
  # One field a line, also where it is printed all on one.
  sed -e 's/[,{]/\
/g' "$work/imagefsinfo" | sed -n 's/^.*"mountpoint": *"\(\/[^"\\]*\)".*$/\1/p' | sort -u
}

list_log_folders() {
  set +f
  for entry in "$pod_logs"/*; do
    if [ -d "$entry" ] && [ ! -L "$entry" ]; then printf '%s\n' "${entry##*/}"; fi
  done
  set -f
}

list_pod_folders() {
  set +f
  for entry in "$kubelet_root"/pods/*; do
    if [ -d "$entry" ]; then printf '%s\n' "${entry##*/}"; fi
  done
  set -f
}

list_dead_links() {
  set +f
  for entry in "$container_logs"/*.log; do
    if [ -L "$entry" ] && [ ! -e "$entry" ]; then printf '%s\n' "${entry##*/}"; fi
  done
  set -f
}

next_sequence() {
  last=0
  if [ -r "$state/sequence" ]; then read -r last <"$state/sequence" || :; fi
  is_made_of 0-9 "$last" || last=0
  sequence=$((last + 1))
  now=$(date +%s)
  [ "$now" -gt "$sequence" ] && sequence=$now
  keep_sequence "$sequence"
}

keep_sequence() { printf '%s\n' "$1" >"$state/sequence.new" && mv -f "$state/sequence.new" "$state/sequence"; }

collect() {
  rm -rf "$work"
  mkdir "$work" || return 1
  : >"$work/failures"
  begun=$(uptime_seconds)
  # Images before containers: an image that is listed and came into use meanwhile is seen in use.
  part images runtime images -o json
  part imagefsinfo runtime imagefsinfo -o json
  part containers runtime ps -a -o json
  part pods runtime pods -o json
  {
    usage_of nodefs "$kubelet_root"
    mount_points | while read -r path; do usage_of fs "$path"; done
  } >"$work/df"
  if [ -d "$pod_logs" ]; then
    if [ -r "$pod_logs" ]; then list_log_folders >"$work/logs"
    else printf 'failed logs %s cannot be read\n' "$pod_logs" >>"$work/failures"; fi
  fi
  [ -d "$container_logs" ] && list_dead_links >"$work/links"
  # Last: a pod that is seen to run above has its folder by now.
  if [ -d "$kubelet_root/pods" ] && [ -r "$kubelet_root/pods" ]; then list_pod_folders >"$work/kubelet-pods"; fi
  if [ -s "$pending" ]; then cp "$pending" "$work/results"; fi
  next_sequence
  mode=run
  [ "$dry_run" = yes ] && mode=dry-run
  {
    printf 'version 1\nsequence %s\ntime %s\nmode %s\n' "$sequence" "$(date +%s)" "$mode"
    [ -z "$boot" ] || printf 'boot %s\n' "$boot"
    cat "$work/failures"
  } >"$work/agent"
}

# On standard input, so that no list of processes shows the token.
request() {
  printf 'url = "%s/nodes/%s/report"\n' "$url" "$node"
  printf 'header = "Authorization: Bearer %s"\n' "$token"
  printf 'header = "Accept: text/plain"\nheader = "Expect:"\n'
  for name in agent images imagefsinfo containers pods df logs links kubelet-pods results; do
    [ -f "$work/$name" ] && printf 'form = "%s=<%s"\n' "$name" "$work/$name"
  done
}

# post: sends the report; the answer is in $work/plan. A report that got no answer is sent again, and is the same report
# to the service.
post() {
  try=1 pause=2
  while :; do
    rm -f "$work/plan"
    status=$(request | curl -q -K - --silent --show-error --proto '=http,https' --connect-timeout 10 \
      --max-time "$request_timeout" --output "$work/plan" --write-out '%{http_code}' 2>"$work/complaint")
    case $status in
      200) return 0 ;;
      401 | 403)
        warn "the service refuses the token ($status)"
        return "$EXIT_TOKEN"
        ;;
      408 | 429 | 5?? | '' | 000) ;;
      *)
        warn "the service answers $status: $(answer_message)"
        return "$EXIT_REFUSED"
        ;;
    esac
    why=$(one_line "$work/complaint")
    [ "$status" = 000 ] || why="it answers $status ${why}"
    if [ "$try" -ge "$tries" ]; then
      warn "cannot reach $url: ${why:-no answer}"
      return "$EXIT_UNREACHABLE"
    fi
    rest_for "$pause"
    try=$((try + 1)) pause=$((pause * 2))
  done
}

# What a Kubernetes Status says, without more.
answer_message() {
  [ -f "$work/plan" ] || return 0
  tr -cd ' -~' <"$work/plan" | cut -c 1-4000 | sed -e "s/\\\\\"/'/g" -n -e 's/^.*"message": *"\([^"]*\)".*$/\1/p' | cut -c 1-300
}

# Waits, but listens to signals.
rest_for() {
  sleep "$1" &
  wait $!
}

# ---------------------------------------------------------------------------------------------------- the plan

# check_plan: prints "ok NUMBER LIFE AGAIN STEPS SEEN", or what is wrong. Every line must be one that is known, to its last
# character, and the last must say how many there were: an id that was cut off could mean something else.
check_plan() {
  if [ ! -s "$work/plan" ] || [ "$(wc -c <"$work/plan")" -gt "$LONGEST_PLAN" ]; then
    printf 'it is empty or too long\n'
  elif [ "$(tr -d '\n -~' <"$work/plan" | wc -c)" -ne 0 ]; then
    printf 'it holds characters that no plan has\n'
  else
    awk '
      function refuse(why) { print "line " NR " " why; refused = 1; exit }
      # What is printed again stays text: not every awk has whole numbers beyond 31 bits.
      function count(text) { return length(text) <= 15 && text ~ /^[0-9]+$/ }
      function hex(text) { return length(text) == 64 && text !~ /[^0-9a-f]/ }
      function image(text) { sub(/^sha256:/, "", text); return hex(text) }
      function entry(text) {
        return length(text) <= 512 && text ~ /^[A-Za-z0-9]/ && text !~ /[^A-Za-z0-9._-]/ && index(text, "..") == 0
      }
      function known(text) { return length(text) <= 512 && text ~ /^[A-Za-z0-9]/ && text !~ /[^A-Za-z0-9._:\/@+-]/ }
      { line = $1; for (i = 2; i <= NF; i++) line = line " " $i; if (line != $0) refuse("is not a line of a plan") }
      NR == 1 { if ($0 != "kubegc-plan 1") refuse("is not \"kubegc-plan 1\""); next }
      NR == 2 { if (NF != 3 || $1 != "plan" || !count($2) || !count($3)) refuse("is not its number and life"); number = $2; life = $3; next }
      NR == 3 { if (NF != 2 || $1 != "again" || !count($2)) refuse("does not say when to report again"); again = $2; next }
      NR == 4 && $1 == "sequence" { if (NF != 2 || !count($2)) refuse("is no sequence"); seen = $2; next }
      ended { refuse("comes after the end") }
      $1 == "end" { if (NF != 2 || !count($2) || $2 + 0 != steps) refuse("is an end that does not fit"); ended = 1; next }
      { steps++ }
      $1 == "stop" || $1 == "rm" || $1 == "stopp" || $1 == "rmp" { if (NF != 2 || !hex($2)) refuse("has no whole id"); next }
      $1 == "rmi" {
        if (NF < 3 || !image($2) || !count($3)) refuse("has no whole id of an image and its size")
        for (i = 4; i <= NF; i++) if (!known($i)) refuse("has a name that no image has")
        next
      }
      $1 == "rmlog" { if (NF != 2 || !entry($2)) refuse("is not an entry of the pod logs"); next }
      $1 == "rmlink" { if (NF != 2 || !entry($2) || $2 !~ /\.log$/) refuse("is not an entry of the container logs"); next }
      { refuse("asks for something unknown") }
      END { if (!refused) { if (ended) print "ok", number, life, again, steps + 0, (seen == "" ? 0 : seen); else print "it was cut off" } }
    ' "$work/plan"
  fi
}

# note OUTCOME VERB ID MESSAGE: what became of a step. Kept until the service has it.
note() {
  outcome=$1 noted="$2 $3"
  shift 3
  printf '%s %s%s\n' "$outcome" "$noted" "${*:+ $*}" >>"$pending"
}

# attempt VERB ID WHAT COMMAND…: does one step and notes the outcome. What is gone already is no failure.
attempt() {
  verb=$1 id=$2 what=$3
  shift 3
  if "$@" >/dev/null 2>"$work/complaint"; then
    note "done" "$verb" "$id"
    say "$what"
    return 0
  fi
  why=$(one_line "$work/complaint")
  case $why in
    *'no such '* | *'not found'* | *NotFound* | *'could not find'* | *'does not exist'*)
      note skipped "$verb" "$id" "gone already: $why"
      return 2
      ;;
  esac
  note failed "$verb" "$id" "${why:-it failed without a word}"
  warn "$verb $id failed: $why"
  failed_steps=$((failed_steps + 1))
  return 1
}

skip() {
  note skipped "$1" "$2" "$3"
  say "left $1 $2: $3"
}

# is_fresh WHEN: not more than LOOK seconds ago.
is_fresh() { [ -n "$1" ] && [ $(($(uptime_seconds) - $1)) -lt "$LOOK" ]; }

# look: the containers there are right now, in $work/now. Not older than the last removal of one.
look() {
  is_fresh "$looked" && return 0
  looked=
  look_now=$(uptime_seconds)
  runtime ps -a -o json >"$work/now" 2>"$work/complaint" && [ -s "$work/now" ] || return 1
  looked=$look_now
}

# look_alive: the pods that run right now, in $work/alive: a sandbox that is ready, or a container that runs.
look_alive() {
  is_fresh "$looked_alive" && return 0
  looked_alive=
  look_now=$(uptime_seconds)
  runtime pods --state Ready -o json >"$work/ready" 2>"$work/complaint" && [ -s "$work/ready" ] || return 1
  runtime ps -o json >"$work/running" 2>"$work/complaint" && [ -s "$work/running" ] || return 1
  cat "$work/ready" "$work/running" >"$work/alive"
  looked_alive=$look_now
}

# is_mentioned FILE TEXT…: whether one of the texts stands in the listing.
is_mentioned() {
  listing=$1
  shift
  for text in "$@"; do
    grep -F -q -e "$text" "$listing" && return 0
  done
  return 1
}

remove_image() {
  image=$1 bytes=$2
  shift 2
  shown=${1:-$image}
  if ! look; then
    skip rmi "$image" "the containers cannot be listed: $(one_line "$work/complaint")"
    return
  fi
  # Names are looked for with their quotes, ids without the algorithm.
  for name in "$@"; do
    shift
    set -- "$@" "\"$name\""
  done
  if is_mentioned "$work/now" "${image#sha256:}" "$@"; then
    skip rmi "$image" "in use by now"
    return
  fi
  if attempt rmi "$image" "removed image $shown, $(human "$bytes")" runtime rmi "$image"; then
    freed=$((freed + bytes)) images=$((images + 1))
  fi
}

remove_log_folder() {
  if [ ! -d "$pod_logs/$1" ] || [ -L "$pod_logs/$1" ]; then
    skip rmlog "$1" "gone already"
  elif ! look_alive; then
    skip rmlog "$1" "the pods cannot be listed: $(one_line "$work/complaint")"
  elif is_mentioned "$work/alive" "\"${1##*_}\""; then
    skip rmlog "$1" "its pod runs by now"
  elif attempt rmlog "$1" "removed logs $1" rm -rf -- "$pod_logs/$1"; then
    logs=$((logs + 1))
  fi
}

remove_log_link() {
  if [ -L "$container_logs/$1" ] && [ ! -e "$container_logs/$1" ]; then
    attempt rmlink "$1" "removed link $1" rm -f -- "$container_logs/$1" || :
  else
    skip rmlink "$1" "gone already, or it leads somewhere by now"
  fi
}

human() {
  awk -v bytes="$1" 'BEGIN {
    split("B kB MB GB TB PB", unit, " ")
    for (i = 1; bytes >= 1000 && i < 6; i++) bytes /= 1000
    printf i == 1 ? "%d %s" : "%.1f %s", bytes, unit[i]
  }'
}

the_steps() { sed -e '1,3d' -e '/^sequence /d' -e '/^end /d' "$work/plan"; }

# carry_out NUMBER LIFE: the steps of the checked plan, in order. It may only be begun, and each step taken, within its life,
# which is counted from when the report was begun.
carry_out() {
  the_steps >"$work/steps"
  printf 'plan %s carried-out\n' "$1" >>"$pending"
  looked='' looked_alive='' not_stopped=' '
  while read -r verb id rest; do
    if [ $(($(uptime_seconds) - begun)) -ge "$2" ]; then
      skip "$verb" "$id" "the plan is too old"
      continue
    fi
    case $verb in
      stop | stopp)
        if [ "$verb" = stop ]; then attempt stop "$id" "stopped container $id" runtime stop --timeout 30 "$id"
        else attempt stopp "$id" "stopped sandbox $id" runtime stopp "$id"; fi
        [ $? -ne 1 ] || not_stopped="$not_stopped$id "
        ;;
      rm | rmp)
        case $not_stopped in
          *" $id "*)
            skip "$verb" "$id" "it could not be stopped"
            continue
            ;;
        esac
        looked=
        if [ "$verb" = rm ]; then attempt rm "$id" "removed container $id" runtime rm "$id" && containers=$((containers + 1))
        else attempt rmp "$id" "removed sandbox $id" runtime rmp "$id" && sandboxes=$((sandboxes + 1)); fi
        ;;
      rmi)
        # shellcheck disable=SC2086 # the size and the names
        remove_image "$id" $rest
        ;;
      rmlog) remove_log_folder "$id" ;;
      rmlink) remove_log_link "$id" ;;
    esac
  done <"$work/steps"
}

show_plan() {
  the_steps | while read -r verb id rest; do
    case $verb in
      stop) say "would stop container $id" ;;
      rm) say "would remove container $id" ;;
      stopp) say "would stop sandbox $id" ;;
      rmp) say "would remove sandbox $id" ;;
      rmi)
        # shellcheck disable=SC2086 # the size and the names
        set -- $rest
        say "would remove image ${2:-$id}, $(human "$1")"
        ;;
      rmlog) say "would remove logs $id" ;;
      rmlink) say "would remove link $id" ;;
    esac
  done
}

# ---------------------------------------------------------------------------------------------------- a run

# run: reports, and does what is due, until nothing is. Its code is the worst that happened.
run() {
  again=60 failed_steps=0 worst=0
  freed=0 images=0 containers=0 sandboxes=0 logs=0
  if ! take_lock; then
    warn "another run is going on (${owner:-just begun})"
    return "$EXIT_BUSY"
  fi
  have_lock=yes
  round=1
  while [ "$round" -le "$ROUNDS" ]; do
    collect || { worst=$EXIT_USAGE; break; }
    [ -s "$work/failures" ] && worst=$EXIT_RUNTIME
    post || { worst=$?; break; }
    rm -f "$pending"
    checked=$(check_plan)
    # shellcheck disable=SC2086 # six words
    set -- $checked
    if [ "${1:-}" != ok ]; then
      warn "the answer is not a plan that can be trusted: $checked"
      number=$(sed -n '2s/^plan \([0-9]\{1,15\}\) .*$/\1/p' "$work/plan" 2>/dev/null)
      [ -z "$number" ] || printf 'plan %s refused\n' "$number" >>"$pending"
      worst=$EXIT_REFUSED
      break
    fi
    again=$4
    # After the clock was set back, or this folder was lost, numbers go on from those that the service has seen.
    [ "$6" -le "$sequence" ] || keep_sequence "$6"
    if [ "$5" -eq 0 ]; then break; fi
    if [ "$dry_run" = yes ]; then
      show_plan
      printf 'plan %s dry-run\n' "$2" >>"$pending"
      break
    fi
    if [ $(($(uptime_seconds) - begun)) -ge "$3" ]; then
      warn "the plan came too late"
      printf 'plan %s expired\n' "$2" >>"$pending"
      break
    fi
    carry_out "$2" "$3"
    round=$((round + 1))
  done
  [ "$failed_steps" -eq 0 ] || [ "$worst" -ne 0 ] || worst=$EXIT_FAILED_STEP
  if [ $((images + containers + sandboxes + logs)) -gt 0 ]; then
    say "freed $(human "$freed"): $images images, $containers containers, $sandboxes sandboxes, $logs log folders"
  elif [ "$dry_run" = no ] && [ "$once" = yes ] && [ "$worst" -eq 0 ]; then
    say "nothing to remove"
  fi
  leave_lock
  return "$worst"
}

if [ "$once" = yes ]; then
  run
  exit $?
fi

misses=0
while :; do
  if run; then misses=0; else misses=$((misses + 1)); fi
  [ "$again" -ge 5 ] || again=5
  [ "$again" -le 3600 ] || again=3600
  # A service that is down is not asked by all nodes each minute for ever.
  [ "$misses" -lt 3 ] || [ "$again" -ge 300 ] || again=$((again + 60 * (misses < 6 ? misses - 2 : 4)))
  rest_for "$again"
done
