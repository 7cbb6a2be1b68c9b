# Run by the orphan guard once the JVM that owned a server is gone.
# $1: the server's folder, with its data directory in it.
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ]; then
  # A paused server has to go on to be able to stop.
  # shellcheck disable=SC2046 # one argument per child is meant
  kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null
  kill -QUIT "$pid" 2>/dev/null
  waited=0
  while [ -e "$1/data/postmaster.pid" ] && kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 100 ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  kill -KILL "$pid" 2>/dev/null
fi
rm -rf -- "$1"
