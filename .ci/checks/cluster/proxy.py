"""A program that passes TCP connections on, and disturbs them when it is told to.

    python3 .ci/checks/cluster/proxy.py NAME=PORT...

Each NAME is a link to a port of this machine. The first line of its output is where each link listens, as JSON. A line
of its input is a link and what becomes of it, until it is told otherwise:

    NAME pass            everything goes through; what a hole has held back does too
    NAME reset           connections are reset, those there are and those that come
    NAME hole            nothing goes through and nothing is closed
    NAME delay SECONDS   everything goes through, so much later each way
    NAME garble          what comes back is as long as it was, and noise
    NAME slow-down       nothing goes through; S3's 503 SlowDown comes back, once for what comes together

It is a process of its own, so that what it does takes no time from those who measure.
"""

import asyncio
import json
import os
import socket
import struct
import sys

# A socket that is closed with this is reset.
RESET = struct.pack("ii", 1, 0)
SLOW_DOWN = (b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 36\r\nConnection: close\r\n\r\n"
             b"<Error><Code>SlowDown</Code></Error>")


class Side(asyncio.Protocol):
    """One of the two connections that are joined. `comes_back` is whether it is the one to the port."""

    def __init__(self, link, comes_back):
        self.link, self.comes_back, self.transport, self.other, self.held = link, comes_back, None, None, []

    def connection_made(self, transport):
        self.transport = transport
        self.link.sides.add(self)
        match self.link.state:
            case "reset":
                self.reset()
            case "hole":
                transport.pause_reading()

    def data_received(self, data):
        match self.link.state:
            case "delay":
                asyncio.get_running_loop().call_later(self.link.seconds, self.hand_over, data)
            case "garble" if self.comes_back:
                self.hand_over(os.urandom(len(data)))
            case "slow-down" if not self.comes_back:
                self.transport.write(SLOW_DOWN)
                self.transport.close()
            case _:
                self.hand_over(data)

    def hand_over(self, data):
        if self.other is None:
            self.held.append(data)
        elif not self.other.transport.is_closing():
            self.other.transport.write(data)

    def join(self, other):
        self.other, other.other = other, self
        for data in self.held:
            self.hand_over(data)
        self.held.clear()

    def eof_received(self):
        if self.link.state == "delay":
            asyncio.get_running_loop().call_later(self.link.seconds, self.close_other)
            return True
        return False

    def connection_lost(self, _):
        self.link.sides.discard(self)
        self.close_other()

    def close_other(self):
        if self.other is not None:
            self.other.transport.close()

    def reset(self):
        if self.transport.is_closing():
            return
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.transport.abort()


class Link:
    """What listens for one port."""

    def __init__(self, port):
        self.port, self.state, self.seconds, self.sides, self.is_open = port, "pass", 0.0, set(), asyncio.Event()
        self.is_open.set()

    async def listen(self):
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(lambda: Caller(self), "127.0.0.1", 0, backlog=1024)
        return self.server.sockets[0].getsockname()[1]

    def turn(self, state, seconds=0.0):
        self.state, self.seconds = state, seconds
        if state == "hole":
            self.is_open.clear()
        else:
            self.is_open.set()
        for side in list(self.sides):
            match state:
                case "reset":
                    side.reset()
                case "hole":
                    side.transport.pause_reading()
                case _:
                    side.transport.resume_reading()


class Caller(Side):
    """The connection of a caller; it makes the one to the port."""

    def __init__(self, link):
        super().__init__(link, False)

    def connection_made(self, transport):
        super().connection_made(transport)
        self.task = asyncio.create_task(self.call())

    async def call(self):
        await self.link.is_open.wait()
        try:
            _, side = await asyncio.get_running_loop().create_connection(
                lambda: Side(self.link, True), "127.0.0.1", self.link.port)
        except OSError:
            # Nothing listens there, so nothing does here.
            self.reset()
            return
        self.join(side)
        if self.transport.is_closing():
            side.transport.close()


async def main(arguments):
    links = {name: Link(int(port)) for name, _, port in (one.partition("=") for one in arguments)}
    print(json.dumps({name: await link.listen() for name, link in links.items()}), flush=True)
    told = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(told), sys.stdin)
    while line := await told.readline():
        name, state, *seconds = line.decode().split()
        links[name].turn(state, *map(float, seconds))


asyncio.run(main(sys.argv[1:]))
