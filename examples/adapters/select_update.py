"""An adapter for a class with select_arm() and update(arm, reward)."""
from assay_target import serve_policy

from armory import Explorer

serve_policy(lambda shape: Explorer(shape.arms, shape.horizon), name="armory.Explorer", seeded=True)
