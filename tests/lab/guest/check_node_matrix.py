#!/usr/bin/env python3
"""check_node_matrix.py RESULTS PAIRS: every pair of nodes ran once, its threads on the one node, its pages on the other."""

import csv
import json
import sys

folder, pairs = sys.argv[1], int(sys.argv[2])
seen = set()
with open(f"{folder}/trials.csv", newline="") as trials:
    for row in csv.DictReader(trials):
        if row["metric"] != "Triad":
            continue
        pair = (row["cpus"], row["memory"])
        assert row["status"] == "ok", row
        assert row["mem_policy"] == "ok", row
        assert pair not in seen, pair
        seen.add(pair)
        with open(f"{folder}/output/{int(row['trial']):04}.json") as document:
            output = json.load(document)
        pages = output["pages"]["node_pages"]
        assert list(pages) == [row["memory"].removeprefix("bind:")], (pair, pages)
        nodes = {f"node:{thread['last_node']}" for thread in output["threads"]}
        assert nodes == {row["cpus"]}, (pair, nodes)
assert len(seen) == pairs, (sorted(seen), pairs)
print(f"{pairs} pairs of nodes, each with its pages where they belong")
