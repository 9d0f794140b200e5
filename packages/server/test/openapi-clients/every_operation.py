"""Makes the planned calls through a generated client: every function, with arguments of the types that it asks for."""
import enum
import importlib
import inspect
import io
import json
import re
import sys
import typing
import uuid

from commonplace_client import AuthenticatedClient, Client
from commonplace_client.models import Error
from commonplace_client.types import File, Unset


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace(" ", "_").lower()


def model_in(hint):
    """The model among the types of an argument."""
    candidates = [hint, *typing.get_args(hint)]
    return next((one for one in candidates if inspect.isclass(one) and hasattr(one, "from_dict")), None)


def is_enum(hint):
    return inspect.isclass(hint) and issubclass(hint, enum.Enum)


def arguments_of(call, hints):
    values = {}
    for name, value in call["params"].items():
        argument = snake(name)
        values[argument] = uuid.UUID(value) if hints[argument] is uuid.UUID else value
    for name, value in call.get("query", {}).items():
        argument = snake(name)
        values[argument] = hints[argument](value) if is_enum(hints[argument]) else value
    if "labels" in call:
        values["labels"] = model_in(hints["labels"]).from_dict(call["labels"])
    if "form" in call:
        form = dict(call["form"])
        content = io.BytesIO(form.pop("file").encode())
        values["body"] = model_in(hints["body"])(file=File(payload=content, file_name="notes.txt"), **form)
    elif "lines" in call:
        values["body"] = File(payload=io.BytesIO(call["lines"]["text"].encode()))
    elif "body" in call:
        values["body"] = model_in(hints["body"]).from_dict(call["body"])
    return values


def main() -> None:
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    outcomes = {}
    for call in plan:
        module = importlib.import_module(f"commonplace_client.api.{snake(call['tag'])}.{snake(call['operationId'])}")
        hints = typing.get_type_hints(module.sync_detailed)
        key = call.get("apiKey")
        client = (
            AuthenticatedClient(base_url=call["url"], token=key, prefix="", auth_header_name="X-API-Key")
            if key
            else Client(base_url=call["url"])
        )
        with client:
            response = module.sync_detailed(client=client, **arguments_of(call, hints))
        parsed = response.parsed
        outcomes[call["operationId"]] = {
            "status": int(response.status_code),
            "hasData": parsed is not None and not isinstance(parsed, (Error, Unset)),
            "error": response.content.decode()[:300] if int(response.status_code) >= 400 else None,
        }
    print(json.dumps(outcomes))


main()
