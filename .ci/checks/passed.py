"""A server that listens on a socket which it is passed, as systemd does. What is done to it is for others."""

from checks.command import Server

# What systemd says of the socket, which is standard input here.
PASSED = 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$@" 3<&0 </dev/null'


class Passed(Server):
    """`before` is what the command is run by."""

    def __init__(self, catalogue, listener, *before):
        super().__init__(catalogue, "live")
        self.input, self.before = listener, before

    def command(self):
        return [*self.before, "sh", "-c", PASSED, self.catalogue.command, "--data", self.catalogue.data, "serve",
                "--log", "warn", "--admin", "off"]
