"""A TCP relay between browser and service that cuts a connection at a point: a phone in a tunnel."""

import socket
import threading


class Cutter:
    def __init__(self, port):
        self._to = port
        self._lock = threading.Lock()
        self._marks = {"sent": None, "answered": None}
        self.cuts = threading.Semaphore(0)  # released with each cut
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept(), which close() does not
        self._listener.close()

    def cut_when(self, way, mark):
        """Cuts the connection on which the mark comes next, "sent" by the browser or "answered" by
        the service.  What has the mark in it is not passed on."""
        with self._lock:
            self._marks[way] = mark

    def _accept(self):
        while True:
            try:
                browser, _ = self._listener.accept()
            except OSError:
                return
            service = socket.create_connection(("127.0.0.1", self._to))
            for way, source, sink in (("sent", browser, service), ("answered", service, browser)):
                threading.Thread(target=self._relay, args=(way, source, sink), daemon=True).start()

    def _relay(self, way, source, sink):
        tail = b""  # a mark may be torn
        try:
            while block := source.recv(65536):
                if self._is_due(way, tail + block):
                    self._shut(source, sink)
                    self.cuts.release()
                    return
                sink.sendall(block)
                tail = block[-64:]
        except OSError:
            pass
        self._shut(source, sink)

    def _is_due(self, way, block):
        with self._lock:
            mark = self._marks[way]
            if mark is None or mark not in block:
                return False
            self._marks[way] = None
            return True

    @staticmethod
    def _shut(*sockets):
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
