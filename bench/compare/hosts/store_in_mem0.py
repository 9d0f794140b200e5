"""Mem0's library with its default store, storing what it is given: no language model is asked."""

import threading

from mem0 import Memory
from work import Texts, serve, settings

given = settings()
folder, url = given["folder"], given["embeddingsUrl"]


class Mem0:
    def __init__(self):
        # The store inside the process does not bear two writers: SQLite fails under it.
        self._writing = threading.Lock()
        self._memory = Memory.from_config(
            {
                "embedder": {
                    "provider": "openai",
                    "config": {"model": "local", "api_key": "none", "openai_base_url": url, "embedding_dims": 384},
                },
                "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": url}},
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": f"{folder}/qdrant", "embedding_model_dims": 384, "on_disk": True},
                },
                "history_db_path": f"{folder}/history.db",
            }
        )

    def fill(self, scope, texts):
        messages = [{"role": "user", "content": text} for text in texts]
        with self._writing:
            return [one["id"] for one in self._memory.add(messages, user_id=scope, infer=False)["results"]]

    def write(self, caller, text):
        assert len(self.fill(f"writes-{caller}", [text])) == 1

    def batch(self, caller, texts):
        assert len(self.fill(f"writes-{caller}", texts)) == len(texts)

    def read(self, scope, id):
        assert self._memory.get(id)["id"] == id

    def search(self, scope, question):
        assert len(self._memory.search(question, filters={"user_id": scope}, top_k=10, threshold=0.0)["results"]) > 0


serve(Mem0(), Texts(given["texts"]))
