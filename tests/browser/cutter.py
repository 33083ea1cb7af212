"""A TCP relay between browser and service that goes dead at a point: a phone in a tunnel."""

import socket
import threading


class Cutter:
    def __init__(self, port):
        self._to = port
        self._lock = threading.Lock()  # guards the three below
        self._mark = None
        self.asked = []  # the path of each GET
        self._is_dead = False
        self._open = []
        self._threads = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def close(self):
        shut(self._listener)  # wakes accept(), which close() does not
        self._accepting.join()
        self.die()
        for each in self._threads:
            each.join()
        for each in (self._listener, *self._open):
            each.close()

    def die_at(self, way, mark):
        """Dies when the mark comes next, "sent" by the browser or "answered" by the service; the
        mark itself is not passed on."""
        with self._lock:
            self._mark = (way, mark)

    def die(self):
        """Cuts every connection, and each new one at once: a browser tries again by itself."""
        with self._lock:
            self._is_dead = True
            for each in self._open:
                shut(each)

    def revive(self):
        with self._lock:
            self._is_dead = False

    def _accept(self):
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._is_dead:
                    browser.close()
                    continue
                service = socket.create_connection(("127.0.0.1", self._to))
                self._open += [browser, service]
            for way in (("sent", browser, service), ("answered", service, browser)):
                self._threads.append(threading.Thread(target=self._relay, args=way))
                self._threads[-1].start()

    def _relay(self, way, source, sink):
        tail = b""  # a mark may be torn
        try:
            while block := source.recv(65536):
                if self._is_due(way, tail, block):
                    self.die()
                    break
                sink.sendall(block)
                tail = block[-64:]
        except OSError:
            pass
        shut(source)
        shut(sink)

    def _is_due(self, way, tail, block):
        with self._lock:
            if way == "sent" and block.startswith(b"GET "):
                self.asked.append(block.split(b" ", 2)[1].decode())
            if self._mark is None or self._mark[0] != way or self._mark[1] not in tail + block:
                return False
            self._mark = None
            return True


def shut(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
