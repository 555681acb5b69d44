"""Prints what the types and the reader get wrong of the lines and the vectors: vectors.py KIT LINES."""
import io, json, pathlib, sys

import reader
import run_event_v1

kit = pathlib.Path(sys.argv[1])
vectors = json.loads((kit / "vectors.json").read_text())
for vector in vectors:
    try:
        reader.read(io.BytesIO((kit / vector["file"]).read_bytes()), vector["strict"])
        accepted = True
    except ValueError:
        accepted = False
    if accepted != vector["valid"]:
        print("reader:", vector["file"], "accepted" if accepted else "refused", vector["why"])
lines = json.loads(pathlib.Path(sys.argv[2]).read_text())
for text, valid in lines:
    try:
        run_event_v1.Event.model_validate_json(text)
        accepted = True
    except ValueError:
        accepted = False
    if accepted != valid:
        print("types:", "accepted" if accepted else "refused", text[:300])
print(len(vectors), "vectors,", len(lines), "lines")
