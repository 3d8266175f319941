"""Runs our policy for Assay. The programs that Assay starts find assay_target (docs/protocol.md, "Adapters")."""
import random

from assay_target import serve_policy

from policy import ExploreThenCommit

serve_policy(lambda shape: ExploreThenCommit(shape.horizon, random), name="explore, then commit", seeded=True,
             check=lambda shape: "has two arms" if shape.arms != 2 else None)
