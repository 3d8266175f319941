#!/usr/bin/env python3
"""An adapter without assay_target around a library that greets its users on standard output."""
import json
import random
import sys

print("banditlib 2.1: thanks for citing us!")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "name": "uniform"}
        shape = message["shape"]
    else:
        outputs = [[random.randrange(shape["arms"]) for _ in range(shape["horizon"])] for _ in message["seeds"]]
        answer = {"type": "plays", "id": message["id"], "outputs": outputs}
    print(json.dumps(answer), flush=True)
