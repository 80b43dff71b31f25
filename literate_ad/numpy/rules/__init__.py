# Assembled from the articles in docs/en; edit those, then run "make book".

# --- docs/en/articles/06-numpy-primitives.md#src-rules-package
"""One module a topic, each with the reverse and the forward rule of its functions side by side."""
