"""What the hosts in Python have in common: they read work from standard input, do it with a library, and answer on descriptor 3.

A line of JSON is one piece of work. The host ends when its input does, so that none outlives the benchmark."""

import itertools
import json
import os
import sys
import threading
import time
import traceback


def settings():
    return json.loads(sys.argv[1])


class Texts:
    """The same for every peer, and each as seldom as possible: libraries remember what they have embedded."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        self._texts, self._questions = content["texts"], content["questions"]
        self._text_turns, self._question_turns = itertools.count(), itertools.count()

    def text(self):
        return self._texts[next(self._text_turns) % len(self._texts)]

    def question(self):
        return self._questions[next(self._question_turns) % len(self._questions)]


def repeat(work, seconds, callers):
    """Threads that call without a pause, each waiting for its answer."""
    latencies, failures = [[] for _ in range(callers)], []
    start = time.perf_counter()
    end = start + seconds

    def call(caller):
        try:
            before = start
            while before < end and not failures:
                work(caller)
                now = time.perf_counter()
                latencies[caller].append((now - before) * 1000)
                before = now
        except Exception:
            failures.append(traceback.format_exc())

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError(failures[0])
    return {"latenciesMs": [one for some in latencies for one in some], "seconds": time.perf_counter() - start}


def serve(peer, texts):
    """A peer has fill(scope, texts), which returns ids, write(caller, text), batch(caller, texts), read(scope, id) and search(scope, question)."""
    answers = os.fdopen(3, "w", encoding="utf-8")

    def answer(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    ids = {}

    def measure(operation, scope, seconds, callers):
        known = itertools.cycle(ids.get(scope, []))
        lock = threading.Lock()

        def next_id():
            with lock:
                return next(known)

        operations = {
            "write": lambda caller: peer.write(caller, texts.text()),
            "batch": lambda caller: peer.batch(caller, [texts.text() for _ in range(100)]),
            "read": lambda caller: peer.read(scope, next_id()),
            "search": lambda caller: peer.search(scope, texts.question()),
        }
        return repeat(operations[operation], seconds, callers)

    answer({"ready": True})
    for line in sys.stdin:
        work = json.loads(line)
        try:
            if work["do"] == "fill":
                ids.setdefault(work["scope"], []).extend(peer.fill(work["scope"], work["texts"]))
                answer({})
            else:
                answer(measure(work["operation"], work["scope"], work["seconds"], work["callers"]))
        except Exception:
            answer({"error": traceback.format_exc()[-2000:]})
    os._exit(0)
