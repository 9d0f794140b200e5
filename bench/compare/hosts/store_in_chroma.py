"""Chroma by its Python client, which embeds before it asks the server."""

import time
import uuid

import chromadb
from chromadb.config import Settings
from chromadb.utils.embedding_functions import DefaultEmbeddingFunction, ONNXMiniLM_L6_V2
from work import Texts, serve, settings

given = settings()


def connect():
    until = time.monotonic() + 60
    while True:
        try:
            return chromadb.HttpClient(host="127.0.0.1", port=given["port"], settings=Settings(anonymized_telemetry=False))
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


class Chroma:
    def __init__(self):
        # The default function loads the model again for every call; kept, it is loaded once.
        self._embed = ONNXMiniLM_L6_V2() if given["keepsModel"] else DefaultEmbeddingFunction()
        self._client = connect()
        self._collections = {}

    def _collection(self, scope):
        if scope not in self._collections:
            self._collections[scope] = self._client.get_or_create_collection(scope, embedding_function=self._embed)
        return self._collections[scope]

    def fill(self, scope, texts):
        ids = [str(uuid.uuid4()) for _ in texts]
        self._collection(scope).add(ids=ids, documents=texts)
        return ids

    def write(self, caller, text):
        self.fill("writes", [text])

    def batch(self, caller, texts):
        self.fill("writes", texts)

    def read(self, scope, id):
        assert self._collection(scope).get(ids=[id])["ids"] == [id]

    def search(self, scope, question):
        assert len(self._collection(scope).query(query_texts=[question], n_results=10)["ids"][0]) == 10


serve(Chroma(), Texts(given["texts"]))
